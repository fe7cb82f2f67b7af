import { createHash } from "node:crypto"
import { hostname, userInfo } from "node:os"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as check from "#src/settings/checks.ts"
import { type Api, Character, connect, type ServerFlags, Session } from "#src/commands/terminal/api.ts"
import { BadArgument } from "#src/commands/terminal/BadArgument.ts"
import { earliestAfter, follow, type LogEvent, type Logged } from "./follow.ts"
import { note, print, printable } from "#src/commands/terminal/output.ts"
import { runClient } from "#src/commands/terminal/run.ts"
import { newMessage, send } from "./send.ts"
import { openTerminal } from "#src/commands/terminal/Terminal.ts"
import { transcript } from "./transcript.ts"

interface ChatFlags extends ServerFlags {
  readonly character: string
  readonly session: string | undefined
  readonly mode: string
  readonly fresh: boolean
  readonly json: boolean
}

/** How many events of an existing conversation are shown. */
const RECENT_EVENTS = 20
/** A turn that ends in silence writes nothing to the log, so its trace is polled at this interval. */
const LOOK_EVERY = "2 seconds"

/** The same for the same person on the same machine, so that their conversation continues. It reveals neither. */
const ownRef = () =>
  `cli-${createHash("sha256")
    .update(`${process.getuid?.() ?? userInfo().username}@${hostname()}`)
    .digest("hex")
    .slice(0, 16)}`

const openSession = Effect.fnUntraced(function* (api: Api, { character, session: id, fresh }: ChatFlags) {
  if (id === undefined)
    return yield* api.post(
      "/v1/sessions",
      { character_slug: character, external_user_ref: ownRef(), new_thread: fresh },
      Session
    )
  if (fresh) return yield* new BadArgument({ problem: "--new and --session cannot be given together" })
  const session = yield* api.get(`/v1/sessions/${encodeURIComponent(id)}`, Session)
  if (session.character_slug !== character)
    return yield* new BadArgument({
      problem: `--session: ${printable(id)} is a conversation with ${printable(session.character_slug)}`
    })
  return session
})

const Trace = Schema.Struct({ trace: Schema.Array(Schema.Struct({ outcome: Schema.String, settled: Schema.Boolean })) })

const clientMessageId = ({ payload }: LogEvent): string =>
  typeof payload["client_message_id"] === "string" ? payload["client_message_id"] : ""

/** `troupe chat CHARACTER [--session S] [--mode fast|deep] [--new]` */
export const chat = (flags: ChatFlags) =>
  runClient(
    Effect.gen(function* () {
      const mode = yield* check.oneOf("--mode", flags.mode, ["fast", "deep"])
      const api = yield* connect(flags)
      const session = yield* openSession(api, flags)
      if (session.status !== "active")
        return yield* new BadArgument({
          problem: `this conversation has ended (${printable(session.status)}); start another with --new`
        })
      const path = `/v1/sessions/${encodeURIComponent(session.id)}`
      const { display_name } = yield* api.get(`/v1/characters/${encodeURIComponent(session.character_slug)}`, Character)
      const name = printable(display_name)
      const since = yield* earliestAfter(api, session.id, Math.max(0, session.last_cursor - RECENT_EVENTS))
      const terminal = yield* openTerminal(flags.json)

      // A message is in `sent` until the log shows that its turn has begun. The turn is in `turns` until it has ended.
      const own = new Set<string>()
      const sent = new Set<string>()
      const turns = new Set<string>()
      let seen = since
      let inputOver = false
      let exited = false
      let unsent = 0
      const end = (runRef: string) => {
        if (turns.delete(runRef) && turns.size === 0) terminal.hint(null)
      }
      // Who waits for the answer to the line before. A pipe has the whole conversation at once.
      let waiting: (() => void) | null = null
      const isAnswered = () => exited || (sent.size === 0 && turns.size === 0)
      const goOn = () => {
        if (!isAnswered()) return
        waiting?.()
        waiting = null
      }
      const answered = Effect.callback<void>((resume) => {
        if (isAnswered()) return resume(Effect.void)
        waiting = () => resume(Effect.void)
      })

      const show = ({ event, json }: Logged): void => {
        if (flags.json) return print(json)
        // Messages typed here are already on the screen.
        if (terminal.interactive && event.role === "user" && own.has(clientMessageId(event))) return
        for (const line of transcript(event, name)) terminal.say(line)
      }
      const account = (event: LogEvent): void => {
        const { cursor, type, role, trace_id } = event
        seen = cursor
        if (type === "run.status" && sent.delete(clientMessageId(event))) {
          turns.add(trace_id)
          terminal.hint(`${name} is typing ...`)
        } else if (type === "message.failed" || (type === "message.created" && role === "character")) end(trace_id)
        else if (type === "session.exited") exited = true
      }

      const say = Effect.fnUntraced(function* (text: string) {
        const message = newMessage(text, mode)
        own.add(message.key)
        sent.add(message.key)
        yield* send(api, session.id, message).pipe(
          Effect.catchIf(
            (error) => error.code !== "session_exited",
            (error) =>
              Effect.sync(() => {
                sent.delete(message.key)
                unsent += 1
                note(`not sent: ${error.message}`)
              })
          )
        )
      })
      const input = terminal.lines.pipe(
        Stream.filter((line) => line.trim() !== ""),
        Stream.mapEffect((line) => (terminal.interactive ? say(line) : Effect.andThen(answered, say(line)))),
        Stream.concat(
          Stream.sync(() => {
            inputOver = true
          })
        )
      )
      const output = follow(api, session.id, since).pipe(
        Stream.map((logged) => {
          account(logged.event)
          show(logged)
          goOn()
        })
      )
      const silences = Stream.tick(LOOK_EVERY).pipe(
        Stream.flatMap(() => Stream.fromIterable([...turns])),
        Stream.mapEffect((runRef) =>
          Effect.map(api.get(`${path}/trace?run_ref=${encodeURIComponent(runRef)}`, Trace), ({ trace: [turn] }) => {
            if (turn?.outcome !== "withheld" || !turns.has(runRef)) return
            if (!flags.json) terminal.say(`(${name} says nothing.)`)
            end(runRef)
            goOn()
          }).pipe(
            Effect.catchIf(
              (error) => error.passing,
              () => Effect.void
            )
          )
        )
      )

      // A character may leave with its last reply. A closed session still has one event to show.
      const isOver = Effect.suspend(() => {
        if (exited) return Effect.succeed(true)
        if (!inputOver || seen < session.last_cursor || sent.size > 0 || turns.size > 0) return Effect.succeed(false)
        return api.get(path, Session).pipe(
          Effect.map(({ status }) => status === "active"),
          Effect.orElseSucceed(() => true)
        )
      })
      yield* Stream.mergeAll([input, output, silences], { concurrency: "unbounded" }).pipe(
        Stream.takeUntilEffect(() => isOver),
        Stream.runDrain
      )
      if (unsent > 0 && !terminal.interactive)
        return yield* new BadArgument({
          problem: `${unsent} ${unsent === 1 ? "message was" : "messages were"} not sent`
        })
    }).pipe(Effect.scoped)
  )
