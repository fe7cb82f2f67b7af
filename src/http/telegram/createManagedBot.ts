import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { randomInt } from "node:crypto"
import { claimLink, newBotLink } from "#channels/telegram/newBotLinks.ts"
import { fit } from "#channels/telegram/fit.ts"
import { newId } from "#pipeline/domain/Id.ts"
import type { StoredCharacter } from "#src/db/character/Characters.ts"
import type { WantedBot } from "#src/db/telegram/batches/StoredBatch.ts"
import { Provisionings } from "#src/db/telegram/Provisionings.ts"
import { LINK_MINUTES } from "#src/db/telegram/managed/claimRequest.ts"
import { Manager } from "#src/jobs/telegram/Manager.ts"
import { toBotResource } from "./botResource.ts"
import { success } from "#src/http/server/envelope.ts"
import { telegramNameTaken } from "./telegramErrors.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { qrCode } from "./qrCode.ts"
import type { BotCreate } from "./telegramSchemas.ts"
import { askTelegram, checkCharacter } from "./telegramBot.ts"

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
const RANDOM_CHARACTERS = 12
const MAX_OF_SLUG = 14
const MAX_OF_NAME = 64

/** A username that is unused and cannot be guessed. It identifies the bot once it is created. */
const usernameFor = (slug: string): string => {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join("")
  const named = slug
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replace(/^[^a-z]+/, "")
    .slice(0, MAX_OF_SLUG)
    .replace(/_$/, "")
  return `${named === "" ? "character" : named}_${random}_bot`
}

/** The suggestions for the person who creates it. */
export const wantedBot = (
  asked: Pick<
    BotCreate & { readonly mode: "managed" },
    "character_slug" | "suggested_name" | "suggested_username" | "owner_ref"
  >,
  { profile }: StoredCharacter
): WantedBot => ({
  suggested_name: asked.suggested_name ?? fit(String(profile["display_name"] ?? asked.character_slug), MAX_OF_NAME),
  suggested_username: asked.suggested_username ?? usernameFor(asked.character_slug),
  is_random: asked.suggested_username === undefined,
  owner_ref: asked.owner_ref ?? null
})

/** Asks Telegram for what the link needs, and returns the transaction that makes the link. */
export const prepareManagedBot = Effect.fnUntraced(function* (
  appId: string,
  body: BotCreate & { readonly mode: "managed" },
  hooksAt: string
) {
  const character = yield* checkCharacter(appId, body.character_slug)
  const manager = yield* Manager
  yield* askTelegram(manager.register(hooksAt))
  const username = yield* askTelegram(manager.username)
  return Effect.gen(function* () {
    const {
      suggested_name: suggestedName,
      suggested_username: suggestedUsername,
      is_random: isRandom,
      owner_ref: ownerRef
    } = wantedBot(body, character)
    const { bot, claimCode, expiresAt } = yield* Provisionings.use((requests) =>
      requests.create(appId, {
        channelId: newId("bot"),
        characterSlug: body.character_slug,
        suggestedName,
        suggestedUsername,
        isRandom,
        ownerRef,
        hooksAt,
        joinWindowMs: body.join_window_ms,
        drafts: body.drafts,
        unknownPolicy: body.unknown_policy,
        linkMinutes: LINK_MINUTES,
        isShownAgain: false
      })
    ).pipe(Effect.catchTag("NameTaken", () => Effect.fail(telegramNameTaken.about("body.suggested_username"))))
    const claimUrl = claimLink(username, claimCode)
    const url = isRandom ? newBotLink(username, suggestedUsername, suggestedName) : claimUrl
    const link = {
      url,
      qr: qrCode(url),
      claim_url: claimUrl,
      claim_qr: qrCode(claimUrl),
      expires_at: expiresAt.toISOString()
    }
    return { bot, link }
  })
})

/** A bot that will be created by the person who opens the link. */
export const createManagedBot = Effect.fnUntraced(function* (
  request: FastifyRequest,
  body: BotCreate & { readonly mode: "managed" },
  hooksAt: string
) {
  const create = yield* prepareManagedBot(request.principal.appId, body, hooksAt)
  return yield* createOnce(
    request,
    Effect.map(create, ({ bot, link }) => ({ ...success(toBotResource(bot)), shownOnce: { link } }))
  )
})
