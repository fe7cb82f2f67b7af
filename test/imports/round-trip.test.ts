import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { profileOf } from "#src/imports/Bundle.ts"
import { cardPng } from "#src/imports/cardPng.ts"
import { readImport } from "#src/imports/readImport.ts"
import { toBundle } from "#src/imports/toBundle.ts"
import { toCard } from "#src/imports/toCard.ts"
import { CharacterCreate } from "#src/http/character/characterSchemas.ts"
import { demoCharacters } from "#src/demo/characters.ts"

const read = (content: { readonly json: unknown } | { readonly bytes: Buffer }) =>
  Effect.runPromise(readImport({ format: "auto", filename: "", forPresent: false, content }))
const profileIn = async (content: Parameters<typeof read>[0]) => {
  const { bundle } = await read(content)
  return { slug: bundle.character["slug"], ...profileOf(bundle) }
}

/** Text that the database can store, in one line, so that it contains no paragraph, speaker or bubble. */
const anyText = (most: number) =>
  fc
    .string({ unit: "grapheme", minLength: 1, maxLength: most })
    .map((text) => text.replaceAll("\u0000", "").toWellFormed())
    .filter((text) => text.trim() !== "")
const word = fc.stringMatching(/^[a-zåéß]{1,9}$/)
const sentence = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => `${words.join(" ")}.`)

/** Any character that an app may create. */
const anyCharacter = fc
  .record(
    {
      slug: fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,20}$/),
      display_name: anyText(30),
      visible_bio: anyText(200),
      persona: fc.record(
        {
          summary: anyText(300),
          traits: fc.array(anyText(20), { maxLength: 5 }),
          goals: fc.array(fc.record({ text: anyText(40), priority: fc.integer({ min: 1, max: 5 }) }), { maxLength: 3 }),
          secrets: fc.array(fc.record({ text: anyText(60), reveal: fc.constantFrom("never", "trusted", "free") }), {
            maxLength: 2
          })
        },
        { requiredKeys: [] }
      ),
      voice: fc.record(
        {
          register: fc.constantFrom("casual", "blunt"),
          emoji: fc.constantFrom("none", "often"),
          max_bubbles: fc.integer({ min: 1, max: 6 })
        },
        { requiredKeys: [] }
      ),
      voice_samples: fc.array(fc.record({ text: anyText(80), situation: anyText(20) }, { requiredKeys: ["text"] }), {
        maxLength: 4
      }),
      example_dialogues: fc.array(
        fc.oneof(
          fc.record({ user: anyText(60), character: anyText(60) }),
          fc.record({
            turns: fc.tuple(anyText(40), anyText(40)).map(([said, answered]) => [
              { role: "user", text: said },
              { role: "character", text: answered }
            ])
          })
        ),
        { maxLength: 4 }
      ),
      greeting: fc.oneof(
        anyText(60),
        fc.record(
          {
            bubbles: fc.array(anyText(40), { minLength: 1, maxLength: 4 }),
            alternates: fc.array(anyText(40), { maxLength: 3 })
          },
          { requiredKeys: ["bubbles"] }
        ),
        fc.constant({ mode: "none" })
      ),
      world_context: fc.record(
        {
          summary: anyText(60),
          scene: anyText(60),
          entries: fc.array(
            fc.record(
              {
                keys: fc.array(anyText(20), { maxLength: 3 }),
                content: anyText(100),
                probability: fc.double({ min: 0, max: 1, noNaN: true }),
                logic: fc.constantFrom("and_any", "not_all"),
                constant: fc.boolean(),
                min_trust: fc.constantFrom(null, 0.5)
              },
              { requiredKeys: ["content"] }
            ),
            { maxLength: 4 }
          )
        },
        { requiredKeys: [] }
      ),
      safety: fc.record(
        { content_rating: fc.constantFrom("general", "mature"), age_band: fc.constant("adult") },
        { requiredKeys: [] }
      )
    },
    { requiredKeys: ["slug", "display_name"] }
  )
  .filter((character) => CharacterCreate.safeParse(character).success)
  .map((character): Record<string, unknown> => JSON.parse(JSON.stringify(character)))

/** A character that contains only what a card of version 3 can express, in its form. */
const carried = fc
  .record({
    display_name: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" ")),
    summary: fc.array(sentence, { minLength: 1, maxLength: 4 }).map((sentences) => sentences.join("\n\n")),
    traits: fc.uniqueArray(word, { minLength: 2, maxLength: 6 }),
    scene: sentence,
    bubbles: fc.array(sentence, { minLength: 1, maxLength: 4 }),
    alternates: fc.array(sentence, { minLength: 1, maxLength: 3 }),
    example_dialogues: fc.array(fc.record({ user: sentence, character: sentence }), { minLength: 1, maxLength: 4 }),
    voice_samples: fc.array(fc.record({ text: sentence }), { minLength: 1, maxLength: 3 }),
    entries: fc.array(
      fc
        .record(
          {
            keys: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
            secondary_keys: fc.uniqueArray(word, { minLength: 1, maxLength: 2 }),
            logic: fc.constantFrom("and_all", "not_any", "not_all"),
            content: sentence,
            constant: fc.constant(true),
            enabled: fc.constant(false),
            priority: fc.integer({ min: 0, max: 100 }),
            probability: fc.integer({ min: 0, max: 99 }).map((percent) => percent / 100),
            sticky_turns: fc.integer({ min: 1, max: 50 }),
            cooldown_turns: fc.integer({ min: 1, max: 200 }),
            delay_turns: fc.integer({ min: 1, max: 200 }),
            group: word
          },
          { requiredKeys: ["keys", "content"] }
        )
        .filter((entry) => entry.logic === undefined || entry.secondary_keys !== undefined),
      { minLength: 1, maxLength: 4 }
    )
  })
  .map(({ summary, traits, scene, entries, bubbles, alternates, ...rest }): Record<string, unknown> =>
    JSON.parse(
      JSON.stringify({
        ...rest,
        persona: { summary, traits },
        greeting: { bubbles, alternates },
        world_context: { scene, entries }
      })
    )
  )

/** A card as written by another program that does not know Troupe. */
const withoutOurs = (card: Readonly<Record<string, unknown>>) => ({
  ...card,
  data: { ...(card["data"] as object), extensions: {} }
})

describe("import(export(x))", () => {
  it("is x for any x, as a card of version 3, as a picture and as a bundle", () =>
    fc.assert(
      fc.asyncProperty(anyCharacter, fc.constantFrom("card", "png", "bundle"), async ({ slug, ...profile }, format) => {
        const file =
          format === "bundle"
            ? { json: toBundle(String(slug), profile, [], undefined) }
            : format === "card"
              ? { json: toCard(String(slug), profile, {}) }
              : { bytes: await cardPng(toCard(String(slug), profile, {}), "x", null) }
        assert.deepStrictEqual(await profileIn(file), { slug, ...profile })
      }),
      { numRuns: 60 }
    ))

  it("is x as far as a card of version 3 can express it, without any Troupe extensions", () =>
    fc.assert(
      fc.asyncProperty(carried, async (profile) => {
        const {
          slug: _,
          visible_bio: __,
          ...again
        } = (await profileIn({ json: withoutOurs(toCard("x", profile, {})) })) as Record<string, unknown>
        assert.deepStrictEqual(again, profile)
      }),
      { numRuns: 100 }
    ))

  it.each(demoCharacters.map((character) => [character.slug, character]))("is %s", async (_, { slug, ...profile }) => {
    assert.deepStrictEqual(await profileIn({ json: toCard(slug, profile, {}) }), { slug, ...profile })
    const { bundle, report } = await read({ json: withoutOurs(toCard(slug, profile, {})) })
    assert.strictEqual(bundle.character["display_name"], profile.display_name)
    assert.deepStrictEqual(report.blockers, [])
  })

  it("contains later edits of the card, and otherwise what the card cannot express", async () => {
    const profile = {
      display_name: "Mara",
      voice: { emoji: "none" },
      persona: { summary: "Dry." },
      world_context: { entries: [{ keys: ["inn"], content: "Old." }] }
    }
    const card = toCard("mara", profile, {}) as { data: Record<string, unknown> }
    const { character, lore } = (
      await read({ json: { ...card, data: { ...card.data, description: "Kind.", name: "Mara L" } } })
    ).bundle
    assert.deepInclude(character, {
      slug: "mara",
      display_name: "Mara L",
      voice: { emoji: "none" },
      persona: { summary: "Kind." }
    })
    assert.deepStrictEqual(lore, [{ keys: ["inn"], content: "Old." }])
  })
})
