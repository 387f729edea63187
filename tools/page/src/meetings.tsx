// Where threads met in a search: the pairs of places that were run in one order only come first.
import { hasOneOrder, isOnePlace, type Meeting, type MeetingPlace } from "./search_report";
import { numberText, visible } from "./visible";

const mostShown = 300;

function placeOf(place: MeetingPlace) {
  return <>{visible(place.operation)} <span class="place">{visible(place.where)}</span></>;
}

export function Meetings({ meetings }: { meetings: Meeting[] }) {
  const oneOrder = meetings.filter(hasOneOrder).length;
  const pairs = meetings.length === 1 ? "1 pair of places" : `${numberText(meetings.length)} pairs of places`;
  return (
    <details class="meetings">
      <summary>Threads met at {pairs}: {oneOrder === 0 ? "each in both orders" : `${numberText(oneOrder)} in one order only`}</summary>
      <p class="quiet">Two operations of different threads on one object, of which one changes it, and nothing else orders them. What was run in one order only may have no other, or the other needs more preemptions.</p>
      <table>
        <thead><tr><th scope="col">first</th><th scope="col">then</th><th scope="col">this way</th><th scope="col">the other way</th></tr></thead>
        <tbody>
          {meetings.slice(0, mostShown).map((meeting, n) => (
            <tr key={n} class={hasOneOrder(meeting) ? "one-order" : ""}>
              <td>{placeOf(meeting.first)}</td>
              <td>{placeOf(meeting.second)}</td>
              <td>{numberText(meeting.first_before)}</td>
              <td>{isOnePlace(meeting) ? "the same place" : meeting.second_before === 0 ? "never" : numberText(meeting.second_before)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {meetings.length > mostShown && <p class="quiet">and {numberText(meetings.length - mostShown)} more</p>}
    </details>
  );
}
