import type { Dimension, RelationshipPosture } from "../domain/Character.ts"

type Drawn = Pick<Dimension, "key" | "label" | "start"> & Partial<Dimension>
const drawn = ({ key, label = key, start, ...more }: Drawn): Dimension => ({
  key,
  label,
  start,
  lower_is_open: false,
  max_delta_per_turn: 0.05,
  half_life_days: 60,
  ...more
})

const TRUST = drawn({ key: "trust", label: "Trust", start: 0.3 })
const RESPECT = drawn({ key: "respect", label: "Respect", start: 0.4 })
const FRIENDSHIP = [TRUST, drawn({ key: "warmth", label: "Warmth", start: 0.3 }), RESPECT]

/** The dimensions if the author defines none. */
const BY_SCHEMA: Readonly<Record<RelationshipPosture["schema"], ReadonlyArray<Dimension>>> = {
  friendship: FRIENDSHIP,
  dating: [
    drawn({ key: "affection", label: "Affection", start: 0.2 }),
    drawn({ key: "romantic_interest", label: "Romantic interest", start: 0.1 }),
    TRUST
  ],
  mentor: [TRUST, RESPECT, drawn({ key: "openness", label: "Openness", start: 0.3 })],
  rivalry: [
    RESPECT,
    drawn({ key: "tension", label: "Tension", start: 0.5, lower_is_open: true }),
    drawn({ key: "trust", label: "Trust", start: 0.1 })
  ],
  custom: FRIENDSHIP
}

/** The dimensions of a posture: the author's, or else those of its schema. */
export const dimensionsOf = ({ schema, dimensions }: RelationshipPosture): ReadonlyArray<Dimension> =>
  dimensions.length > 0 ? dimensions : BY_SCHEMA[schema]
