// Where the page begins: with a failure, or with the searches of a run.
import { render } from "preact";
import { readDocument } from "./document";
import { Page } from "./page";
import { SearchPage } from "./search_page";
import { visible } from "./visible";
import "./style.css";

const shown = await readDocument(document.getElementById("document")!);
const place = document.getElementById("page")!;
place.replaceChildren();
if ("hocket_report" in shown) {
  document.title = "Searches";
  render(<SearchPage report={shown} />, place);
} else {
  document.title = `${visible(shown.test)}: ${visible(shown.failure)}`;
  render(<Page failure={shown} />, place);
}
