import edda from "./characters/edda-brandvik.json" with { type: "json" }
import ines from "./characters/ines-carvalho.json" with { type: "json" }
import silvan from "./characters/silvan-roque.json" with { type: "json" }

interface DemoCharacter {
  readonly slug: string
  readonly display_name: string
  readonly [field: string]: unknown
}

/** The characters of the app `demo`, as an author would post them. Written for this project and under its license. */
export const demoCharacters: ReadonlyArray<DemoCharacter> = [edda, silvan, ines]
