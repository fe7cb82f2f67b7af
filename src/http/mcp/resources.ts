import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate
} from "@modelcontextprotocol/server"
import { type Api, type ApiAnswer, type ApiRequest, apiPath, type ApiRefusal, NAME } from "./Api.ts"
import { transcriptOf } from "./transcript.ts"

/** How many characters the list of resources names. */
const MAX_LISTED = 100

const JSON_TYPE = "application/json"
const MARKDOWN = "text/markdown"

export const characterUri = (slug: string) => `troupe://characters/${slug}`

/** An error as one of the protocol. Its data has the form of the contract. */
export const asProtocolError = ({ status, detail }: ApiRefusal, uri: string): ProtocolError => {
  if (status === 404) return new ResourceNotFoundError(uri)
  const message =
    typeof detail === "string"
      ? detail
      : typeof detail === "object" && detail !== null && "message" in detail
        ? String(detail.message)
        : "The request failed."
  return new ProtocolError(
    status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidRequest,
    message,
    { status, detail }
  )
}

const nameIn = (value: string | ReadonlyArray<string> | undefined, uri: string): string => {
  if (typeof value !== "string" || !NAME.test(value)) throw new ResourceNotFoundError(uri)
  return value
}

/** The sheet of a character as JSON. */
export const readSheet = async (api: Api, slug: string, signal: AbortSignal): Promise<string> => {
  const sheet = await api<object>({ method: "GET", path: apiPath`/v1/characters/${slug}`, signal })
  if (!sheet.ok) throw asProtocolError(sheet, characterUri(slug))
  return JSON.stringify(sheet.data, null, 2)
}

interface Listed {
  readonly characters: ReadonlyArray<{ readonly slug: string; readonly display_name: string }>
  readonly next_cursor: string | null
}

/** The first characters. A page of large ones has fewer than the limit. */
const listCharacters = async (api: Api, signal: AbortSignal): Promise<Listed["characters"]> => {
  const characters: Array<Listed["characters"][number]> = []
  for (let cursor: string | null = ""; cursor !== null && characters.length < MAX_LISTED;) {
    const query: ApiRequest["query"] = { limit: MAX_LISTED - characters.length, cursor }
    const listed: ApiAnswer<Listed> = await api({ method: "GET", path: "/v1/characters", query, signal })
    if (!listed.ok) throw asProtocolError(listed, "troupe://characters")
    characters.push(...listed.data.characters)
    cursor = listed.data.next_cursor
  }
  return characters
}

/** Character sheets and transcripts, which a person can attach to a conversation with a model. */
export const registerResources = (server: McpServer, api: Api): void => {
  server.registerResource(
    "character",
    new ResourceTemplate("troupe://characters/{slug}", {
      list: async ({ mcpReq: { signal } }) => {
        const characters = await listCharacters(api, signal)
        return {
          resources: characters.map(({ slug, display_name }) => ({
            uri: characterUri(slug),
            name: slug,
            title: display_name,
            mimeType: JSON_TYPE
          }))
        }
      }
    }),
    { title: "Character sheet", description: "All fields of a character, as JSON", mimeType: JSON_TYPE },
    async (uri, { slug }, { mcpReq: { signal } }) => {
      const text = await readSheet(api, nameIn(slug, uri.href), signal)
      return { contents: [{ uri: uri.href, mimeType: JSON_TYPE, text }] }
    }
  )
  server.registerResource(
    "transcript",
    new ResourceTemplate("troupe://sessions/{session_id}/transcript", { list: undefined }),
    {
      title: "Transcript",
      description: "The latest messages of a session, as Markdown",
      mimeType: MARKDOWN
    },
    async (uri, { session_id }, { mcpReq: { signal } }) => {
      const transcript = await transcriptOf(api, nameIn(session_id, uri.href), signal)
      if (!transcript.ok) throw asProtocolError(transcript, uri.href)
      return { contents: [{ uri: uri.href, mimeType: MARKDOWN, text: transcript.data }] }
    }
  )
}
