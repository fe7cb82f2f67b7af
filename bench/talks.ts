import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { greetingBubbles } from "#pipeline/domain/greeting.ts"
import { demoCharacters } from "#src/demo/characters.ts"
import { talkSet } from "#test/memory/toldSets.ts"
import { talk } from "#test/support/conversation/talk.ts"
import { characterOf } from "#test/support/conversation/turns.ts"

/**
 * Prints conversations between the offline engine and people, for a reader who scores each reply:
 * `node bench/talks.ts [NAME...]`. The people are those in `talks/`, where the first line of a file names the character
 * and each other line is a message, and those in `test/memory/talks`.
 */
const folder = new URL("talks/", import.meta.url)
const wanted = process.argv.slice(2)

interface Script {
  readonly name: string
  readonly slug: string
  readonly lines: ReadonlyArray<string>
}

const scripts: ReadonlyArray<Script> = [
  ...readdirSync(folder)
    .toSorted()
    .map((file) => {
      const [slug = "", ...lines] = readFileSync(new URL(file, folder), "utf8").trim().split("\n")
      return { name: file.replace(".txt", ""), slug, lines }
    }),
  ...(["development", "held-out"] as const).flatMap(talkSet).map(({ name, slug, person }) => ({
    name,
    slug,
    lines: Array.from(person.script, ({ text }) => text)
  }))
]

for (const { name, slug, lines } of scripts) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const profile = demoCharacters.find((one) => one.slug === slug)
  if (profile === undefined) throw new Error(`${name}: there is no demo character ${slug}`)
  const greeting = greetingBubbles(profile, 0).join("\n")
  const exchanges = await Effect.runPromise(talk(characterOf(profile), lines, { greeting, remembers: true }))
  console.log(`\n# ${name}: ${profile.display_name}\n\n  ${profile.display_name}: ${greeting}`)
  for (const { asked, reply } of exchanges) console.log(`> ${asked}\n  ${reply.replaceAll("\n", "\n  ")}`)
}
