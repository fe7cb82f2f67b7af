import * as Effect from "effect/Effect"
import { Apps } from "#src/db/tenancy/Apps.ts"
import { CODE_MINUTES } from "#src/db/operators/ConsoleCodes.ts"
import { Characters } from "#src/db/character/Characters.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { Sessions } from "#src/db/conversation/Sessions.ts"
import { MODEL_ENGINE, OFFLINE_ENGINE } from "#src/model/engineNames.ts"
import { demoCharacters } from "./characters.ts"

/** A fixed id, so that every process and every start finds the same demo app. */
const DEMO_APP = "app_0000000000000000000000DEM0"

/** Creates the demo app with its characters and an open session. Undefined: another start has already done so. */
export const makeDemo = Effect.gen(function* () {
  const apps = yield* Apps
  const { query, transaction } = yield* Database
  return yield* transaction(
    Effect.gen(function* () {
      yield* query((sql) => sql`select pg_advisory_xact_lock(hashtextextended(${DEMO_APP}, 0))`)
      if ((yield* apps.get(DEMO_APP)) !== undefined) return undefined
      const { key } = yield* apps.create({ appId: DEMO_APP, name: "demo", monthlyBudgetMicroUsd: null })
      const characters = yield* Characters
      for (const { slug, ...profile } of demoCharacters)
        yield* characters.create(DEMO_APP, slug, profile).pipe(Effect.orDie)
      const sessions = yield* Sessions
      const { session } = yield* sessions
        .create(DEMO_APP, {
          characterSlug: demoCharacters[0]?.slug ?? "",
          externalUserRef: "you",
          proactiveControls: {},
          metadata: {},
          endUser: {},
          newThread: true
        })
        .pipe(Effect.orDie)
      return { apiKey: key.apiKey, session, characterName: demoCharacters[0]?.display_name ?? "" }
    })
  )
})

const engineLine = (model: string | null) =>
  model === null
    ? `${OFFLINE_ENGINE}: no model; it replies with lines from the characters' authors. For a model, set ` +
      `OPENAI_API_KEY or OPENAI_BASE_URL`
    : `${MODEL_ENGINE}, model ${model}`

const consoleText = (url: string | null) =>
  url === null
    ? ""
    : `
To operate this server, open its console with this link, which works once, within ${CODE_MINUTES} minutes:

  ${url}

For another link:  npm run -s troupe -- console
`

/**
 * What a start prints for new users. `model` is null if there is none. The first start on a database prints a key of
 * the demo app. That and `consoleUrl`, a link that signs in to the console once, are the only secrets that are printed
 * without a request.
 */
export const firstRun = Effect.fnUntraced(function* (
  baseUrl: string,
  { model, consoleUrl }: { readonly model: string | null; readonly consoleUrl: string | null }
) {
  const demo = yield* makeDemo
  const addresses = `
Troupe is ready.

  API    ${baseUrl}
  Docs   ${baseUrl}/docs
  Engine ${engineLine(model)}
`
  if (demo === undefined) {
    return `${addresses}
  Key for the demo app:  npm run -s troupe -- key create ${DEMO_APP}
  App of your own:       npm run -s troupe -- app create NAME
${consoleText(consoleUrl)}`
  }
  const auth = `-H "authorization: Bearer ${demo.apiKey}"`
  const session = `${baseUrl}/v1/sessions/${demo.session.session_id}`
  return `${addresses}
  Key    ${demo.apiKey}   (for the app "demo", which has the demo characters; shown only once)

To create your own characters, create an app:  npm run -s troupe -- app create NAME

Say something to ${demo.characterName}:

  curl -s -X POST "${session}/messages" ${auth} -H "content-type: application/json" -d '{"text":"Hello! Who are you?"}'

and read the conversation:

  curl -s "${session}/events?since=0" ${auth}
${consoleText(consoleUrl)}`
})
