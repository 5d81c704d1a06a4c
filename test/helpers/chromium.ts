import { accessSync, constants } from 'node:fs';

// Where Debian, Ubuntu, Fedora, Google's packages and macOS put it.
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The path of a Chromium: that of `CHROMIUM`, else one in a usual place, else null. */
export function findChromium(): string | null {
  const named = process.env.CHROMIUM;
  return [...(named ? [named] : PLACES)].find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
