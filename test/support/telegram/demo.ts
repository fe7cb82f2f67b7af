import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isOnlyHere } from "#src/accounts/isOnlyHere.ts"
import { consoleUrlOf } from "#src/commands/operators/console.ts"
import { tables } from "#src/composition/tables.ts"
import { print } from "#src/commands/terminal/output.ts"
import { runClient } from "#src/commands/terminal/run.ts"
import { CODE_MINUTES } from "#src/db/operators/ConsoleCodes.ts"
import { demoCharacters } from "#src/demo/characters.ts"
import { makeDemo } from "#src/demo/firstRun.ts"
import { HttpServer } from "#src/http/server/HttpServer.ts"
import { roles } from "#src/composition/process.ts"
import { secretsKeys } from "#src/composition/secretsKeys.ts"
import { Settings } from "#src/settings/Settings.ts"
import { type FakeTelegram, startFakeTelegram } from "./FakeTelegram.ts"

/** Variables to keep from the caller's environment. Other variables of ours are for another server. */
const KEPT = /^(?:PORT|NODE_ENV|OPENAI_\w+)$/

const reasonOf = (cause: unknown) => new Error(cause instanceof Error ? cause.message : String(cause))

/** The offline engine answers at once. Messages are delayed so that the typing indicator is visible. */
const ON_THE_WAY_MS = 1_200

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "troupe-demo-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)
const phone = Effect.acquireRelease(
  Effect.tryPromise({
    try: () =>
      startFakeTelegram({
        port: Number(process.env["PHONE_PORT"] ?? 8_081),
        takesAnyWebhookUrl: true,
        hasSimulator: true
      }),
    catch: reasonOf
  }),
  (telegram) => Effect.promise(() => telegram.close())
)

/** A bot for each character, attached as any app attaches one. */
const attachBots = async (telegram: FakeTelegram, baseUrl: string, apiKey: string): Promise<void> => {
  for (const { slug, display_name: name, visible_bio: bio } of demoCharacters) {
    const bot = telegram.createBot({ username: `${slug.replaceAll("-", "_")}_bot`, name })
    bot.profile.descriptions.set("", String(bio))
    const response = await fetch(`${baseUrl}/v1/telegram/bots`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ mode: "byo", token: bot.token, character_slug: slug })
    })
    if (!response.ok) throw new Error(`the bot of ${name} could not be attached: ${await response.text()}`)
  }
}

const consoleText = (url: string | null) =>
  url === null ? "" : `\nThe console, with a link that signs you in once, within ${CODE_MINUTES} minutes:\n\n  ${url}\n`

const say = (telegram: FakeTelegram, baseUrl: string, apiKey: string, consoleUrl: string | null) =>
  print(`
Troupe is ready, with a Telegram of its own.

  Phone  ${telegram.url}/_sim/
  API    ${baseUrl}
  Docs   ${baseUrl}/docs
  Key    ${apiKey}
${consoleText(consoleUrl)}
Open the phone, choose a character and press Start. Ctrl-C ends everything and forgets it.
${JSON.stringify({ ready: true, base_url: baseUrl, phone_url: `${telegram.url}/_sim/` })}`)

const demo = (telegram: FakeTelegram) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { baseUrl } = yield* HttpServer
      const made = yield* makeDemo
      if (made === undefined) return yield* Effect.die(new Error("the demo's database is not its own"))
      yield* Effect.tryPromise({ try: () => attachBots(telegram, baseUrl, made.apiKey), catch: reasonOf })
      const { production, trustedProxies } = yield* Settings
      const isOurs = isOnlyHere({ baseUrl, production, behindProxy: trustedProxies > 0 })
      say(telegram, baseUrl, made.apiKey, isOurs ? yield* consoleUrlOf(baseUrl) : null)
    })
  )

/** Telegram and Troupe in one process, on a temporary database. */
runClient(
  Effect.scoped(
    Effect.gen(function* () {
      const telegram = yield* phone
      const dataDir = yield* folder
      const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => KEPT.test(name)))
      const env = ConfigProvider.fromEnvRecord({
        ...inherited,
        DATA_DIR: dataDir,
        TELEGRAM_API_ROOT: telegram.url
      } as Record<string, string>)
      telegram.fault({ method: "sendMessage", count: Infinity }, { kind: "slow", ms: ON_THE_WAY_MS })
      return yield* Layer.launch(
        demo(telegram).pipe(
          Layer.provide(roles),
          Layer.provide(tables),
          Layer.provide(secretsKeys),
          Layer.provide(Settings.layer.pipe(Layer.provide(ConfigProvider.layer(env))))
        )
      )
    })
  )
)
