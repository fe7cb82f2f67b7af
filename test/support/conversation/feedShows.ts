import type { TestApp } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

/**
 * Waits until the feed of the app shows these events. A transaction that is open anywhere on the database server delays
 * what comes after it.
 */
export const feedShows = (app: TestApp, ids: ReadonlyArray<string>) =>
  until("the feed to show the events", async () => {
    const missing = new Set(ids)
    for (let since = "0"; ;) {
      const { events, next_cursor, has_more } = (await app.get(`/v1/events?limit=200&since=${since}`)).body.data
      for (const { id } of events) missing.delete(id)
      if (missing.size === 0) return true
      if (!has_more) return false
      since = next_cursor
    }
  })
