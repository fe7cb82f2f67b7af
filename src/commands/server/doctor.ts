import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Outbound } from "#channels/outbound/Outbound.ts"
import { outbound } from "#src/composition/delivery.ts"
import { givenSecretsKeys } from "#src/composition/secretsKeys.ts"
import { connection } from "#src/composition/database.ts"
import { databaseFindings, unreachable } from "#src/db/operators/databaseFindings.ts"
import { hasBots } from "#src/db/telegram/hasBots.ts"
import { Disks } from "#src/db/operators/Disks.ts"
import { diskProblems } from "#src/health/serverProblems.ts"
import { type Finding, fine, skipped, warned, wrong } from "#src/health/Finding.ts"
import type { BadSetting } from "#src/settings/checks.ts"
import { Settings } from "#src/settings/Settings.ts"
import { print } from "#src/commands/terminal/output.ts"
import { runClient } from "#src/commands/terminal/run.ts"
import { onModel } from "./probeModel.ts"

const WAIT_MS = 5_000

const onDatabase = Effect.gen(function* () {
  const { production, autoMigrate } = yield* Settings
  const keys = yield* givenSecretsKeys
  return yield* Effect.all([databaseFindings({ keys, production, autoMigrate }), hasBots]).pipe(
    Effect.map(([found, bots]) => ({ found, bots })),
    Effect.provide(connection),
    Effect.catch(() => Effect.succeed({ found: unreachable(null), bots: false }))
  )
})

/** The server creates its folders when it starts. Until then, what counts is where they will be. */
const nearestFolder = (path: string): string => {
  const folder = resolve(path)
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder))
}

const onDisk = Effect.gen(function* () {
  const { databaseUrl, dataDir, production, storage } = yield* Settings
  const folders = [
    ...(databaseUrl === null ? [{ path: nearestFolder(dataDir), holds: "database" as const }] : []),
    ...(storage.kind === "folder" ? [{ path: nearestFolder(storage.folder), holds: "pictures" as const }] : [])
  ]
  if (folders.length === 0) return skipped("disk", "Nothing is stored on this machine.")
  const disks = yield* Disks.use(({ read }) => read).pipe(Effect.provide(Disks.layer(folders)))
  if (disks.length < folders.length)
    return wrong("disk", "A folder of DATA_DIR or STORAGE_DIR cannot be read.", "Create it for the user of the server.")
  const [problem] = disks.flatMap(diskProblems)
  if (problem === undefined) return fine("disk", "There is space on the disk.")
  // A small disk is enough to try the server.
  const say = production && problem.severity === "critical" ? wrong : warned
  return say("disk", `${problem.cause}.`, problem.next_step.description)
})

/** Any answer shows that an address can be reached. */
const answers = (url: string) =>
  Effect.tryPromise((signal) =>
    fetch(url, { redirect: "manual", signal: AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]) })
  )

const LOOPBACK = /^(localhost|127\.|\[::1\])/

const onPublicUrl = Effect.gen(function* () {
  const { publicUrl, production } = yield* Settings
  if (publicUrl === null)
    return production
      ? wrong("public_url", "PUBLIC_URL is not set.", "Set it to the https address at which clients reach this server.")
      : skipped("public_url", "PUBLIC_URL is not set: links lead to this machine, and Telegram bots are polled.")
  const { protocol, hostname } = new URL(publicUrl)
  if (protocol !== "https:" && !LOOPBACK.test(hostname))
    return wrong("public_url", "PUBLIC_URL is not https: Telegram sends updates only to https.", "Put TLS in front.")
  return yield* answers(`${publicUrl}/healthz`).pipe(
    Effect.map((response) =>
      response.ok
        ? fine("public_url", "PUBLIC_URL leads to a running server.")
        : wrong(
            "public_url",
            `PUBLIC_URL leads to something that answers /healthz with ${response.status}.`,
            "Start the server, and check where the proxy leads."
          )
    ),
    Effect.catch(() =>
      Effect.succeed(
        wrong(
          "public_url",
          "PUBLIC_URL cannot be reached from this machine.",
          "Start the server, and check DNS, firewall, certificate and proxy."
        )
      )
    )
  )
})

const reachesTelegram = Effect.gen(function* () {
  const { telegram } = yield* Settings
  return yield* answers(telegram.apiRoot).pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false)
  )
})

const onTelegram = Effect.fnUntraced(function* (isReachable: boolean, hasBots: boolean) {
  const { telegram } = yield* Settings
  if (isReachable) return fine("telegram", "Telegram can be reached.")
  const message = "TELEGRAM_API_ROOT cannot be reached from this machine."
  return hasBots || telegram.managerToken !== null
    ? wrong("telegram", message, "Allow outgoing https to api.telegram.org.")
    : warned(
        "telegram",
        `${message} No bot is attached, so nothing needs it.`,
        "Before you attach one, allow outgoing https to api.telegram.org."
      )
})

/** A request such as a webhook, but without an event and a signature. Any answer will do. */
const onEgress = (url: string | undefined) =>
  url === undefined
    ? Effect.succeed(skipped("egress", "Give --webhook URL to try a receiver of webhooks."))
    : Outbound.use(({ send }) =>
        send({ url, headers: { "content-type": "application/json" }, body: "{}", totalTimeout: WAIT_MS })
      ).pipe(
        Effect.as(fine("egress", "The receiver answers.")),
        Effect.catch(({ reason }) =>
          Effect.succeed(
            wrong(
              "egress",
              `The receiver cannot be reached (${reason}).`,
              reason === "blocked_address"
                ? "Use https and a public address, or list its host in OUTBOUND_ALLOW."
                : "Check its address, DNS and the firewall for outgoing connections."
            )
          )
        ),
        Effect.provide(outbound)
      )

const node = Effect.sync(() => fine("node", `Node ${process.versions.node}.`))

const findings = (webhook: string | undefined) =>
  Effect.gen(function* () {
    const [database, disk, publicUrl, model, isReachable, egress] = yield* Effect.all(
      [onDatabase, onDisk, onPublicUrl, onModel, reachesTelegram, onEgress(webhook)],
      { concurrency: "unbounded" }
    )
    const telegram = yield* onTelegram(isReachable, database.bots)
    return [fine("settings", "The settings are valid."), ...database.found, disk, publicUrl, model, telegram, egress]
  }).pipe(
    Effect.provide(Settings.layer),
    Effect.catch((error: BadSetting) =>
      Effect.succeed([
        wrong("settings", `${error.message}.`, "Correct it: see docs/operate/settings.md. The rest is checked then.")
      ])
    )
  )

const lineOf = ({ check, status, message, fix }: Finding) =>
  `${status.padEnd(7)} ${check.padEnd(11)} ${message}${fix === null ? "" : ` ${fix}`}`

/** `troupe doctor [--json] [--webhook URL]` */
export const examine = ({ json, webhook }: { readonly json: boolean; readonly webhook: string | undefined }) =>
  runClient(
    Effect.gen(function* () {
      const found = [yield* node, ...(yield* findings(webhook))]
      const isWrong = found.some(({ status }) => status === "wrong")
      if (json) print(JSON.stringify({ ok: !isWrong, checks: found }))
      else for (const finding of found) print(lineOf(finding))
      if (isWrong) process.exitCode = 1
    })
  )
