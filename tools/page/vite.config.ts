// One file with everything in it, which may load nothing and runs no script but its own: the policy names their hashes.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import preact from "@preact/preset-vite";
import { defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

const sha256 = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function hashes(html: string, tag: string, attributes: string): string {
  return [...html.matchAll(new RegExp(`<${tag}${attributes}[^>]*>([\\s\\S]*?)</${tag}>`, "g"))]
    .map((match) => sha256(match[1]!))
    .join(" ");
}

/** Says from which sources the page was built, as sha256sum prints it, so that a test needs no Node: is-built. */
const origin: Plugin = {
  name: "origin",
  writeBundle({ dir }) {
    const sources = ["index.html", "package-lock.json", ...readdirSync("src").sort().map((name) => `src/${name}`), "vite.config.ts"];
    const sum = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");
    writeFileSync(join(dir!, "sources.sha256"), sources.map((file) => `${sum(file)}  ${file}\n`).join(""));
  },
};

const policy: Plugin = {
  name: "content-security-policy",
  enforce: "post",
  writeBundle({ dir }) {
    const file = join(dir!, "index.html");
    const html = readFileSync(file, "utf8").replaceAll(" crossorigin", "");
    const content =
      "default-src 'none'; base-uri 'none'; form-action 'none'; " +
      `script-src ${hashes(html, "script", ' type="module"')}; style-src ${hashes(html, "style", "")}`;
    const charset = '<meta charset="utf-8" />';
    const meta = `${charset}\n    <meta http-equiv="Content-Security-Policy" content="${content}" />`;
    writeFileSync(file, html.replace(charset, () => meta));
  },
};

export default defineConfig({
  plugins: [preact(), viteSingleFile({ removeViteModuleLoader: true }), policy, origin],
  build: { target: "es2022", modulePreload: false },
});
