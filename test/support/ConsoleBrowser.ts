import axe from "axe-core"
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core"
import { assert } from "vitest"
import { openPage } from "./Browser.ts"

/** A browser of somebody who may open the console, and what went wrong in it. */
export interface ConsoleBrowser {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors of scripts, refusals of the policy, and requests to other hosts. */
  readonly problems: ReadonlyArray<string>
}

export const openConsole = async (
  browser: Browser,
  server: { readonly baseUrl: string; readonly token: string },
  options: BrowserContextOptions = {}
): Promise<ConsoleBrowser> => {
  const page = await openPage(browser, {
    baseURL: server.baseUrl,
    viewport: { width: 1280, height: 900 },
    extraHTTPHeaders: { authorization: `Bearer ${server.token}` },
    ...options
  })
  const context = page.context()
  const problems: Array<string> = []
  context.on("request", (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol !== "data:" && origin !== new URL(server.baseUrl).origin) problems.push(`request to ${request.url()}`)
  })
  page.on("pageerror", ({ message }) => problems.push(message))
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text())
  })
  return { context, page, problems }
}

/** What axe finds on a page, as one line each. */
export const accessibilityProblems = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  const found = await page.evaluate<
    ReadonlyArray<{ id: string; help: string; nodes: ReadonlyArray<{ html: string }> }>
  >(
    `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
      .then(({ violations }) => violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html }) => \
({ html })) })))`
  )
  return found.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(" ")}`)
}

/** Asserts that a page is not wider than the screen. */
export const assertFits = async (page: Page): Promise<void> => {
  assert.isAtMost(
    await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth"),
    0,
    page.url()
  )
}
