import * as z from "zod"
import { type Api, apiPath } from "../Api.ts"
import { idempotencyKey, listing, mapData, name, READS, type Tool, tool } from "../tool.ts"

interface Character {
  readonly slug: string
  readonly display_name: string
  readonly status: string
  readonly version: number
  readonly readiness: { readonly status: string }
  readonly updated_at: string
}

const Summary = z.object({
  slug: z.string(),
  display_name: z.string(),
  status: z.string(),
  version: z.int(),
  readiness: z.string().describe("Whether the checks of the character found problems"),
  updated_at: z.string()
})

const summaryOf = ({ slug, display_name, status, version, readiness, updated_at }: Character) => ({
  slug,
  display_name,
  status,
  version,
  readiness: readiness.status,
  updated_at
})

const listCharacters = tool({
  name: "list_characters",
  title: "List characters",
  description: "List the app's characters, by slug.",
  annotations: READS,
  input: z.object({
    q: z.string().max(80).optional().describe("Part of the slug or display name"),
    status: z.enum(["active", "archived"]).optional(),
    ...listing
  }),
  output: z.object({ characters: z.array(Summary), next_cursor: z.string().nullable() }),
  run: async (query, { api, signal }) =>
    mapData(
      await api<{ characters: ReadonlyArray<Character>; next_cursor: string | null }>({
        method: "GET",
        path: "/v1/characters",
        query,
        signal
      }),
      ({ characters, next_cursor }) => ({ characters: characters.map(summaryOf), next_cursor })
    )
})

const getCharacter = tool({
  name: "get_character",
  title: "Get a character",
  description: "Get all fields of a character: its voice, examples, world and rules.",
  annotations: READS,
  input: z.object({ slug: name("The character's slug") }),
  output: z.looseObject({ slug: z.string(), display_name: z.string(), version: z.int() }),
  run: async ({ slug }, { api, signal }) =>
    mapData(
      await api<Character & Record<string, unknown>>({ method: "GET", path: apiPath`/v1/characters/${slug}`, signal }),
      (character) => ({ ...character })
    )
})

const FindingData = z.object({ code: z.string(), severity: z.string(), path: z.string(), message: z.string() })

interface Staged {
  readonly id: string
  readonly status: string
  readonly content_hash: string | null
  readonly target_version: number | null
  readonly report: {
    readonly warnings: ReadonlyArray<z.infer<typeof FindingData>>
    readonly blockers: ReadonlyArray<z.infer<typeof FindingData>>
  }
}

/** Accepts these warnings, so that the import is ready if nothing else is wrong with it. */
const accept = async (api: Api, staged: Staged, codes: ReadonlyArray<string>, signal: AbortSignal) =>
  codes.length === 0 || staged.status !== "needs_review"
    ? ({ ok: true, data: staged } as const)
    : api<Staged>({
        method: "PATCH",
        path: apiPath`/v1/imports/${staged.id}`,
        body: { accept_warnings: codes },
        signal
      })

const findingOf = ({ code, severity, path, message }: z.infer<typeof FindingData>) => ({
  code,
  severity,
  path,
  message
})

const importCharacter = tool({
  name: "import_character",
  title: "Import a character",
  description:
    "Create a character from a card, or update one: Character Card V1 to V3, a Troupe bundle, or an ElizaOS " +
    "character. " +
    "If the import needs a review, nothing is created, and the result lists the warnings and blockers. " +
    "Show them to the person, then call the tool again with accept_warnings. Blockers must be fixed in the card.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  input: z
    .object({
      card: z.record(z.string(), z.unknown()).optional().describe("The JSON of the card"),
      content_base64: z.string().max(1_000_000).optional().describe("Or the file in base64: JSON, PNG or CharX"),
      mode: z.enum(["create", "update"]).default("create"),
      target_slug: name("Slug of the character to update, or of the new one").optional(),
      accept_warnings: z.array(z.string().max(80)).max(100).default([]).describe("Codes of warnings to accept"),
      idempotency_key: idempotencyKey
    })
    .describe("Either card or content_base64"),
  output: z.object({
    committed: z.boolean().describe("Whether the character was created or changed"),
    import_id: z.string(),
    status: z.string(),
    character_slug: z.string().nullable(),
    warnings: z.array(FindingData),
    blockers: z.array(FindingData)
  }),
  run: async ({ card, content_base64, mode, target_slug, accept_warnings, idempotency_key }, { api, signal }) => {
    const created = await api<Staged>({
      method: "POST",
      path: "/v1/imports",
      body: { json: card, content_base64, mode, target_slug },
      idempotencyKey: idempotency_key,
      signal
    })
    if (!created.ok) return created
    const staged = await accept(api, created.data, accept_warnings, signal)
    if (!staged.ok) return staged
    const { id, status, content_hash, target_version, report } = staged.data
    const result = {
      import_id: id,
      warnings: report.warnings.map(findingOf),
      blockers: report.blockers.map(findingOf)
    }
    if (status !== "ready") return { data: { ...result, committed: false, status, character_slug: null } }
    return mapData(
      await api<{ status: string; character_slug: string | null }>({
        method: "POST",
        path: apiPath`/v1/imports/${id}/commit`,
        body: { content_hash, ...(target_version !== null && { expected_version: target_version }) },
        signal
      }),
      (committed) => ({
        ...result,
        committed: true,
        status: committed.status,
        character_slug: committed.character_slug
      })
    )
  }
})

export const characterTools: ReadonlyArray<Tool> = [listCharacters, getCharacter, importCharacter]
