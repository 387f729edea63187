// Where the page begins.
import { render } from "preact";
import { readDocument } from "./document";
import { Page } from "./page";
import { visible } from "./visible";
import "./style.css";

const failure = await readDocument(document.getElementById("document")!);
document.title = `${visible(failure.test)}: ${visible(failure.failure)}`;
const place = document.getElementById("page")!;
place.replaceChildren();
render(<Page failure={failure} />, place);
