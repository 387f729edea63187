// Where the states of a model are drawn: in layers by the least number of steps that lead there, with few crossings.
import type { Model } from "./document";

export interface Place {
  x: number;
  y: number;
  layer: number;
}

export interface Layout {
  places: Place[];
  width: number;
  height: number;
}

export const [nodeWidth, nodeHeight] = [34, 24];
const [gapX, gapY] = [26, 44];
const sweeps = 12;

/** The least number of steps from the first state to each. A state that no step leads to comes behind all others. */
export function layersOf(model: Model): number[] {
  const layers = model.states.map(() => -1);
  layers[0] = 0;
  const next = model.states.map((): number[] => []);
  for (const { from, to } of model.transitions ?? []) if (to !== undefined) next[from]!.push(to);
  const queue = [0];
  for (const state of queue) {
    for (const to of next[state]!) {
      if (layers[to] !== -1) continue;
      layers[to] = layers[state]! + 1;
      queue.push(to);
    }
  }
  const last = Math.max(...layers) + 1;
  return layers.map((layer) => (layer < 0 ? last : layer));
}

/**
 * Each state is moved towards the mean of its neighbours in the layer above and the one below in turn; those of one layer
 * keep their distance. Steps of the path count more than others, so that it runs straight.
 */
export function layoutOf(model: Model, path: readonly number[]): Layout {
  const layers = layersOf(model);
  const rows: number[][] = [];
  layers.forEach((layer, state) => (rows[layer] ??= []).push(state));
  const onPath = new Set(path.map((state, n) => `${n === 0 ? 0 : path[n - 1]} ${state}`));
  const neighbours = model.states.map((): { state: number; weight: number }[] => []);
  for (const { from, to } of model.transitions ?? []) {
    if (to === undefined || Math.abs(layers[from]! - layers[to]!) !== 1) continue;
    const weight = onPath.has(`${from} ${to}`) ? 6 : 1;
    neighbours[from]!.push({ state: to, weight });
    neighbours[to]!.push({ state: from, weight });
  }
  const step = nodeWidth + gapX;
  const x = model.states.map(() => 0);
  rows.forEach((row) => row.forEach((state, n) => (x[state] = (n - (row.length - 1) / 2) * step)));
  const wanted = (state: number, side: number) => {
    const near = neighbours[state]!.filter((other) => Math.sign(layers[other.state]! - layers[state]!) === side);
    const weight = near.reduce((sum, other) => sum + other.weight, 0);
    return weight === 0 ? x[state]! : near.reduce((sum, other) => sum + x[other.state]! * other.weight, 0) / weight;
  };
  for (let sweep = 0; sweep < sweeps; ++sweep) {
    const side = sweep % 2 === 0 ? -1 : 1;
    for (const row of side < 0 ? rows : [...rows].reverse()) spread(row, row.map((state) => wanted(state, side)), x, step);
  }
  const left = Math.min(...x);
  const places = model.states.map((_, state) => ({
    x: x[state]! - left + nodeWidth / 2 + gapX,
    y: layers[state]! * (nodeHeight + gapY) + nodeHeight / 2 + 22,
    layer: layers[state]!,
  }));
  return {
    places,
    width: Math.max(...places.map((place) => place.x)) + nodeWidth / 2 + gapX,
    height: Math.max(...places.map((place) => place.y)) + nodeHeight / 2 + 26,
  };
}

/** Puts the states of a layer in the order of the places that they want, as near to these as their distance allows. */
function spread(row: number[], wanted: number[], x: number[], step: number) {
  const order = row.map((state, n) => ({ state, at: wanted[n]! })).sort((one, other) => one.at - other.at);
  // Runs of states that touch each other stand around the mean of what they want.
  const runs: { sum: number; count: number }[] = [];
  for (const { at } of order) {
    let run = { sum: at, count: 1 };
    for (let last = runs.at(-1); last !== undefined; last = runs.at(-1)) {
      const end = last.sum / last.count + ((last.count - 1) / 2) * step;
      const begin = run.sum / run.count - ((run.count - 1) / 2) * step;
      if (begin - end >= step) break;
      runs.pop();
      run = { sum: last.sum + run.sum, count: last.count + run.count };
    }
    runs.push(run);
  }
  let n = 0;
  for (const { sum, count } of runs) {
    for (let k = 0; k < count; ++k) x[order[n++]!.state] = sum / count + (k - (count - 1) / 2) * step;
  }
  row.splice(0, row.length, ...order.map(({ state }) => state));
}
