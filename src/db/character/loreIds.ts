import { newId } from "#pipeline/domain/Id.ts"

interface WithLore {
  readonly world_context?: { readonly entries?: ReadonlyArray<{ readonly id?: string }> }
}

/** The profile with ids for all lore entries, so that an entry keeps its identity across versions. */
export const withLoreIds = (profile: object): object => {
  const { world_context } = profile as WithLore
  const entries = world_context?.entries
  if (entries === undefined || entries.every(({ id }) => id !== undefined)) return profile
  return {
    ...profile,
    world_context: {
      ...world_context,
      entries: entries.map((entry) => (entry.id === undefined ? Object.assign({ id: newId("lor") }, entry) : entry))
    }
  }
}
