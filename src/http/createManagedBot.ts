import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { randomInt } from "node:crypto"
import { Characters } from "#src/db/Characters.ts"
import { Provisionings } from "#src/db/telegram/Provisionings.ts"
import { Manager } from "#src/jobs/telegram/Manager.ts"
import { toBotResource } from "./botResource.ts"
import { success } from "./envelope.ts"
import { createOnce } from "./idempotent.ts"
import { qrCode } from "./qrCode.ts"
import type { BotCreate } from "./schemas/telegram.ts"
import { askTelegram, checkCharacter } from "./telegramBot.ts"

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
const RANDOM_CHARACTERS = 12
const MOST_OF_SLUG = 14

/** A username that nobody has and nobody guesses: by it the bot is known when it is made. */
const usernameFor = (slug: string): string => {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join("")
  const named = slug.replaceAll(/[^a-z0-9]+/g, "_").replace(/^[^a-z]+/, "").slice(0, MOST_OF_SLUG).replace(/_$/, "")
  return `${named === "" ? "character" : named}_${random}_bot`
}

/** A bot that is to be made by whoever opens the link. */
export const createManagedBot = Effect.fnUntraced(function*(request: FastifyRequest, body: BotCreate & { readonly mode: "managed" }, hooksAt: string) {
  const { appId } = request.principal
  yield* checkCharacter(appId, body.character_slug)
  const manager = yield* Manager
  yield* askTelegram(manager.arm(hooksAt))
  return yield* createOnce(request, Effect.gen(function*() {
    const character = yield* Characters.use((characters) => characters.get(appId, body.character_slug))
    const suggestedName = body.suggested_name ?? String(character?.profile["display_name"] ?? body.character_slug).slice(0, 64)
    const suggestedUsername = body.suggested_username ?? usernameFor(body.character_slug)
    const { bot, claimCode, expiresAt } = yield* Provisionings.use((requests) => requests.create(appId, {
      characterSlug: body.character_slug, suggestedName, suggestedUsername, isRandom: body.suggested_username === undefined, ownerRef: body.owner_ref ?? null, hooksAt, joinWindowMs: body.join_window_ms, drafts: body.drafts, unknownPolicy: body.unknown_policy
    }))
    const { url, claimUrl } = yield* askTelegram(manager.links(suggestedUsername, suggestedName, claimCode))
    return { ...success(toBotResource(bot)), shownOnce: { link: { url, qr: qrCode(url), claim_url: claimUrl, claim_qr: qrCode(claimUrl), expires_at: expiresAt.toISOString() } } }
  }))
})
