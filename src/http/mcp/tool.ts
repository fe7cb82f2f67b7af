import type { CallToolResult, McpServer, ToolAnnotations } from "@modelcontextprotocol/server"
import * as z from "zod"
import { type Api, type ApiAnswer, type ApiRefusal, NAME } from "./Api.ts"

/** The id of a resource, or the slug of a character. */
export const name = (description: string) =>
  z.string().max(200).regex(NAME, "Must be an id or a slug").describe(description)

/** It becomes a header of a request. */
export const idempotencyKey = z
  .string()
  .regex(/^[!-~]{1,200}$/, "Must be 1 to 200 printable ASCII characters without spaces")
  .optional()
  .describe("A repeated call with the same key has no further effect")

/** `cursor` and `limit` of a list. */
export const listing = {
  cursor: z.string().max(400).optional().describe("next_cursor of the previous page"),
  limit: z.int().min(1).max(100).default(25)
}

export interface Caller {
  readonly api: Api
  readonly signal: AbortSignal
}

/** What a tool found: structured, and if the JSON is not the best text for a model, also as text. */
export interface Found<A> {
  readonly data: A
  readonly text?: string
}

/** A tool of the MCP server. */
export interface Tool {
  readonly name: string
  /** It changes something, so it is offered only if the caller allows writes. */
  readonly writes: boolean
  readonly register: (server: McpServer, api: Api) => void
}

const isRefusal = (value: object): value is ApiRefusal => "ok" in value && value.ok === false

/** An error in the form of the contract, as the result of a tool, so that the model can read what to do about it. */
const refusal = ({ detail }: ApiRefusal): CallToolResult => ({
  isError: true,
  content: [{ type: "text", text: JSON.stringify({ detail }) }]
})

/** The data of an answer, changed. */
export const mapData = <A, B>(answer: ApiAnswer<A>, change: (data: A) => B): Found<B> | ApiRefusal =>
  answer.ok ? { data: change(answer.data) } : answer

export const tool = <I extends z.ZodObject, O extends z.ZodObject>(definition: {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Omit<ToolAnnotations, "title">
  readonly input: I
  readonly output: O
  readonly run: (input: z.output<I>, caller: Caller) => Promise<Found<z.input<O>> | ApiRefusal>
}): Tool => {
  const { name, title, description, annotations, input, output, run } = definition
  return {
    name,
    writes: annotations.readOnlyHint !== true,
    register: (server, api) =>
      void server.registerTool(
        name,
        {
          title,
          description,
          inputSchema: input as z.ZodObject,
          outputSchema: output as z.ZodObject,
          annotations: { title, openWorldHint: false, ...annotations }
        },
        async (given, { mcpReq: { signal } }): Promise<CallToolResult> => {
          const found = await run(given as z.output<I>, { api, signal })
          if (isRefusal(found)) return refusal(found)
          const { data, text = JSON.stringify(data) } = found
          return { content: [{ type: "text", text }], structuredContent: data as Record<string, unknown> }
        }
      )
  }
}

export const READS = { readOnlyHint: true, idempotentHint: true } as const
