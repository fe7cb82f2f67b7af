import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium"

/** Whether a browser is installed. Without one, tests of pages are skipped. */
export const hasBrowser = existsSync(CHROMIUM)

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] })
