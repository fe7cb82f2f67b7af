import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { Outbound } from "#channels/outbound/Outbound.ts"
import { unguarded } from "#channels/outbound/unguarded.ts"
import { newSecret, problemOf } from "#channels/webhook/secret.ts"
import { makeWebhookChannel } from "#channels/webhook/WebhookChannel.ts"
import { Endpoints } from "#channels/Endpoints.ts"
import * as check from "#src/settings/checks.ts"
import { connect, type ServerFlags, Session } from "#src/commands/terminal/api.ts"
import { BadArgument } from "#src/commands/terminal/BadArgument.ts"
import { follow, type Logged } from "#src/commands/conversation/follow.ts"
import { note, print } from "#src/commands/terminal/output.ts"
import { runClient } from "#src/commands/terminal/run.ts"

interface ListenFlags extends ServerFlags {
  readonly session: string
  readonly forward: string
  readonly secret: string | undefined
  readonly since: string | undefined
  readonly json: boolean
}

/** Short delays, because a person is watching. The server's own schedule takes days. */
const WAITS = ["500 millis", "1 second", "2 seconds"] as const
const TRIES = WAITS.length + 1

const readSecret = (given: string | undefined) => {
  if (given === undefined) return Effect.succeed(newSecret())
  const problem = problemOf(given)
  return problem === null
    ? Effect.succeed(Redacted.make(given))
    : Effect.fail(new BadArgument({ problem: `--secret: ${problem}` }))
}

/** Uses the real webhook channel, with one endpoint and without the guard that keeps tenants out of this network. */
const channelTo = (url: string, secret: Redacted.Redacted<string>) =>
  makeWebhookChannel.pipe(
    Effect.provideService(Endpoints, {
      get: () => Effect.succeed({ url: Redacted.make(url), secrets: [secret], config: {} })
    })
  )

/** `troupe webhooks listen --session S --forward URL [--secret S] [--since N]` */
export const listenWebhooks = (flags: ListenFlags) =>
  runClient(
    Effect.gen(function* () {
      const outbound = yield* Outbound
      const { href } = yield* outbound.checkUrl(flags.forward).pipe(
        Effect.mapError(
          () =>
            new BadArgument({
              problem: "--forward must be an http:// or https:// address without a user or password"
            })
        )
      )
      const secret = yield* readSecret(flags.secret)
      const since =
        flags.since === undefined ? null : yield* check.whole("--since", flags.since, 0, Number.MAX_SAFE_INTEGER)
      const api = yield* connect(flags)
      const session = yield* api.get(`/v1/sessions/${encodeURIComponent(flags.session)}`, Session)
      const channel = yield* channelTo(href, secret)
      if (flags.secret === undefined) {
        print(
          flags.json
            ? JSON.stringify({ secret: Redacted.value(secret) })
            : `Signed with ${Redacted.value(secret)} (shown once; keep it with --secret)`
        )
      }

      const tryOnce = Effect.fnUntraced(function* ({ event, json }: Logged, attempt: number) {
        const began = yield* Clock.currentTimeMillis
        const { _tag: outcome, ...answered } = yield* channel.deliver({
          appId: "",
          sessionId: session.id,
          channelId: "",
          channelVersion: 0,
          cursor: event.cursor,
          eventId: event.id,
          type: event.type,
          event: json,
          part: 0,
          unknowns: 0,
          content: json
        })
        const latency = (yield* Clock.currentTimeMillis) - began
        const errorCode = "errorCode" in answered ? answered.errorCode : null
        print(
          flags.json
            ? JSON.stringify({
                cursor: event.cursor,
                event_id: event.id,
                type: event.type,
                attempt,
                status_code: answered.statusCode,
                error_code: errorCode,
                latency_ms: latency
              })
            : `#${event.cursor} ${event.type} -> ${answered.statusCode ?? errorCode} in ` +
                `${latency} ms${attempt === 1 ? "" : ` (try ${attempt} of ${TRIES})`}`
        )
        return outcome === "Sent"
      })
      const deliver = Effect.fnUntraced(function* (logged: Logged) {
        if (yield* tryOnce(logged, 1)) return
        for (const [index, wait] of WAITS.entries()) {
          yield* Effect.sleep(wait)
          if (yield* tryOnce(logged, index + 2)) return
        }
        note(`#${logged.event.cursor} was not accepted in ${TRIES} tries; continuing with the next`)
      })
      yield* follow(api, session.id, since ?? session.last_cursor).pipe(Stream.runForEach(deliver))
    }).pipe(Effect.scoped, Effect.provide(unguarded))
  )
