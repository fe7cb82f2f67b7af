import { assert, describe, it } from "vitest"
import { saysUnderAge } from "#pipeline/safety/underAge.ts"

describe("somebody who says for how long they have been alive", () => {
  it.each([
    "I was born thirteen years ago.",
    "I've been alive for thirteen years",
    "i have only been on this planet for 13 years!",
    "ich bin seit dreizehn Jahren auf der Welt",
    "Ich wurde erst vor 14 Jahren geboren.",
    "nací hace trece años",
    "llevo solo catorce años en este mundo",
    "nasci há treze anos",
    "estou há quinze anos neste mundo"
  ])("is a minor: %s", (text) => assert.isTrue(saysUnderAge(text)))

  it.each([
    "I was born thirty years ago.",
    "My son was born thirteen years ago.",
    "I have lived here for thirteen years.",
    "thirteen years on this job and I still love it",
    "I've been around for 15 years in this company",
    "I've been around for 15 years, so I know this forum",
    "My mom is thirteen years older than me",
    "ich bin seit dreizehn Jahren verheiratet",
    "mein Sohn wurde vor 13 Jahren geboren",
    "mi hija nació hace trece años",
    "llevo catorce años en esta empresa",
    "minha filha nasceu há treze anos",
    "estou há quinze anos neste emprego"
  ])("is not: %s", (text) => assert.isFalse(saysUnderAge(text)))
})
