import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { assert, describe, it } from "vitest"
import { DatabaseError } from "#src/db/postgres/Database.ts"
import { eventOf, type LogLine, logLine, prettyLine } from "#src/telemetry/logLine.ts"
import { page } from "#test/support/sources/docs.ts"
import { readModules } from "#test/support/sources/modules.ts"

/** The lines that an effect logs. */
const linesOf = (effect: Effect.Effect<unknown>): ReadonlyArray<LogLine> => {
  const lines: Array<LogLine> = []
  Effect.runSync(
    Effect.provide(effect, Layer.fresh(Logger.layer([Logger.make((options) => void lines.push(logLine(options)))])))
  )
  return lines
}

const MARKED = "the cat is called Zanzibar"

describe("a line of the log", () => {
  it("is flat, with a stable name, its annotations and its details", () => {
    const [line] = linesOf(
      Effect.logWarning("worker lock lost: re-registering", { pool: "a" }).pipe(
        Effect.annotateLogs({ request_id: "req_1" })
      )
    )
    assert.deepInclude(line, {
      level: "warn",
      event: "worker_lock_lost",
      message: "worker lock lost: re-registering",
      request_id: "req_1",
      pool: "a"
    })
    assert.match(String(line?.["time"]), /^\d{4}-\d\d-\d\dT/)
  })

  it("has the trace that it belongs to", () => {
    const [line] = linesOf(Effect.withSpan(Effect.logInfo("within"), "outer"))
    assert.match(String(line?.["trace_id"]), /^[0-9a-f]{32}$/)
  })

  it("names an error, its code, its causes and its place", () => {
    const cause = Object.assign(new Error("could not extend file"), { name: "PostgresError", code: "53100" })
    const [line] = linesOf(
      Effect.logError("turn failed", new DatabaseError({ reason: "refused", sqlState: "53100", cause }))
    )
    assert.deepInclude(line, {
      error: "DatabaseError",
      error_message: "database refused (53100)",
      caused_by: ["PostgresError (53100) could not extend file"]
    })
    assert.match(String(line?.["stack"]), /^at .*log-line\.test\.ts/)
  })

  it.each([
    ["a text that is not JSON", () => JSON.parse(`{"text": ${MARKED}}`)],
    ["a value that does not match", () => Schema.decodeUnknownSync(Schema.Struct({ n: Schema.Int }))({ n: MARKED })],
    [
      "a value that the database refuses",
      () => {
        throw Object.assign(new Error(`invalid input syntax: "${MARKED}"`), { name: "PostgresError", code: "22P02" })
      }
    ],
    [
      "an error of unknown origin",
      () => {
        throw new Error(MARKED, { cause: new Error(MARKED) })
      }
    ]
  ])("does not repeat %s", (_, fail) => {
    for (const line of [
      ...linesOf(Effect.catchCause(Effect.sync(fail), (cause) => Effect.logError("request failed", cause))),
      ...linesOf(Effect.catchDefect(Effect.sync(fail), (thrown) => Effect.logError("request failed", { thrown })))
    ]) {
      assert.isString(line["error"])
      assert.notInclude(JSON.stringify(line), "Zanzibar")
      assert.notInclude(prettyLine(line), "Zanzibar")
    }
  })

  it("reads well for people", () => {
    assert.strictEqual(
      prettyLine({
        time: "2026-11-21T10:11:12.345Z",
        level: "warn",
        event: "x",
        message: "lane sweep failed",
        tries: 2
      }),
      "10:11:12.345 WARN  lane sweep failed tries=2"
    )
  })
})

describe("the page about logs", () => {
  it("lists every event, and no others", () => {
    const logged = readModules(["pipeline", "channels", "src"]).flatMap(({ text }) =>
      [...text.matchAll(/(?:Effect\.log(?:Debug|Info|Warning|Error)|logDatabaseError)\(\s*"((?:[^"\\]|\\.)*)"/g)].map(
        ([, message = ""]) => eventOf(message)
      )
    )
    const [, listed = ""] = page("docs/operate/logs.md").split("## Events")
    assert.deepStrictEqual(
      [...new Set([...listed.matchAll(/`([a-z0-9_]+)`/g)].map(([, name]) => name))]
        .filter((name) => !["error", "warn", "info", "debug"].includes(name ?? ""))
        .sort(),
      [...new Set([...logged, "event_loop_stuck", "monitor_write_failed"])].sort()
    )
  })
})
