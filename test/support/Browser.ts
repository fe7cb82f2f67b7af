import { existsSync } from "node:fs"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { WAIT_MS } from "./patience.ts"

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium"

/** Whether a browser is installed. Without one, tests of pages are skipped. */
export const hasBrowser = existsSync(CHROMIUM)

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"], timeout: WAIT_MS })

/** A page with cookies and settings of its own. */
export const openPage = async (browser: Browser, options: BrowserContextOptions = {}): Promise<Page> => {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(WAIT_MS)
  return context.newPage()
}
