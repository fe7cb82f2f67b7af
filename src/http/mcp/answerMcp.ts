import { createMcpHandler } from "@modelcontextprotocol/server"
import type { Api } from "./Api.ts"
import { makeMcpServer, type McpOptions } from "./makeMcpServer.ts"

interface Call extends McpOptions {
  readonly api: Api
  /** The parsed body. */
  readonly body: unknown
}

/** Answers one request, with a server of its own. Nothing is kept between requests. */
export const answerMcp = (request: Request, { api, body, ...options }: Call): Promise<Response> =>
  createMcpHandler(() => makeMcpServer(api, options)).fetch(request, { parsedBody: body })
