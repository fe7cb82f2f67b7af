import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { profileOf } from "#src/imports/Bundle.ts"
import { readImport } from "#src/imports/readImport.ts"
import { toCard } from "#src/imports/toCard.ts"
import { scanContent } from "#src/imports/scanContent.ts"
import { CharacterCreate } from "#src/http/character/characterSchemas.ts"
import { talk } from "#test/support/conversation/talk.ts"
import { characterOf } from "#test/support/conversation/turns.ts"
import { THIRD_PARTY } from "./third-party/cards.ts"

const read = (content: { readonly json: unknown } | { readonly bytes: Buffer }) =>
  Effect.runPromise(readImport({ format: "auto", filename: "", forPresent: false, content }))

const profileIn = async (content: Parameters<typeof read>[0]) => {
  const { bundle } = await read(content)
  return { slug: bundle.character["slug"], ...profileOf(bundle) }
}

describe(`each of ${THIRD_PARTY.length} cards of other people`, () => {
  it.each(THIRD_PARTY)("is kept and says who it is: $title", async ({ title, called, asks, content, keeps, lacks }) => {
    const file = await content()
    const { format, bundle, report } = await read(file)
    const profile = { slug: bundle.character["slug"], ...profileOf(bundle) } as Record<string, unknown>
    const parsed = CharacterCreate.safeParse(profile)
    assert.isTrue(parsed.success, JSON.stringify(parsed.error?.issues))
    assert.strictEqual(profile["display_name"], called)

    const kept = JSON.stringify([profile, bundle.evidence, bundle.visual_identity])
    for (const text of keeps) assert.include(kept, JSON.stringify(text).slice(1, -1), title)
    for (const text of lacks ?? []) assert.notInclude(kept, JSON.stringify(text).slice(1, -1), title)
    assert.deepStrictEqual(
      report.blockers.map(({ code }) => code),
      []
    )
    const findings = await scanContent(bundle)
    assert.notInclude(
      findings.map(({ code }) => code),
      "minor_romance"
    )

    // An export of what was read is read as the same character.
    const card = JSON.parse(JSON.stringify(toCard(String(profile["slug"]), profile, bundle.extra)))
    assert.deepStrictEqual(await profileIn({ json: card }), JSON.parse(JSON.stringify(profile)))

    const [exchange] = await Effect.runPromise(talk(characterOf(profile), [asks ?? "who are you?"]))
    assert.include(exchange?.reply, called)

    const fields = Object.keys(profile).filter((field) => field !== "slug")
    const lost = [...report.dropped.map(({ from }) => from), ...report.warnings.map(({ code }) => code)]
    console.log(
      `${title} (${format}): kept ${fields.join(", ")}` +
        `${bundle.lore.length > 0 ? `, ${bundle.lore.length} lore` : ""}` +
        `${bundle.evidence.length > 0 ? `, ${bundle.evidence.length} notes` : ""}` +
        `${bundle.visual_identity === null ? "" : ", looks"}` +
        `; lost ${lost.length === 0 ? "nothing" : lost.join(", ")}` +
        `; says: ${exchange?.reply}`
    )
  })
})

describe("a stated age under 18", () => {
  it.each([
    '[Character("Mio") Age("16") Personality("shy" + "kind") Likes("her boyfriend {{user}}")]',
    "[Mio: student, shy; Age: 15; Relationship: girlfriend of {{user}}]",
    'Name = "Mio"\nAge = "17"\nRole = "your girlfriend"',
    "Mio is a minor, and she is in love with {{user}}.",
    "Mio, 16 years old, {{user}}'s girlfriend."
  ])("blocks romance in every notation: %s", async (description) => {
    const { bundle } = await read({
      json: { spec: "chara_card_v2", spec_version: "2.0", data: { name: "Mio", description, first_mes: "Hi." } }
    })
    assert.include(
      (await scanContent(bundle)).map(({ code }) => code),
      "minor_romance"
    )
  })

  it.each([
    "Perrin left the band over a minor disagreement, and is in love with {{user}}.",
    "Perrin is a minor noble who is in love with {{user}}.",
    "Perrin is a minor, forgettable poet of 40, and is in love with {{user}}.",
    "Perrin plays a minor character in a soap. He is in love with {{user}}."
  ])("is not seen in other words: %s", async (description) => {
    const { bundle } = await read({
      json: { spec: "chara_card_v2", spec_version: "2.0", data: { name: "Perrin", description, first_mes: "Hi." } }
    })
    assert.notInclude(
      (await scanContent(bundle)).map(({ code }) => code),
      "minor_romance"
    )
  })
})
