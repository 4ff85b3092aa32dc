/** Decodes one picture for the page. */
import { type Picture, decode } from "./decoding.js";

addEventListener("message", (event: MessageEvent<Picture>) => {
  void decode(event.data).then((decoded) => {
    postMessage(decoded);
  });
});
