// The browser that all of them drive.

import { accessSync, constants } from "node:fs";
import path from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const folders = (process.env.PATH ?? "").split(path.delimiter);

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const found = names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isExecutable);
export const chromium = process.env.LEGWORK_BROWSER ?? found;
if (!chromium) throw new Error("no Chromium in PATH; set LEGWORK_BROWSER");
