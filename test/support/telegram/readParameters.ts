import { Parameters } from "./Parameters.ts"
import { badRequest } from "./Refusal.ts"

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest("can't parse JSON object")
  }
}

/** Fetch's own parser also accepts file names without quotes, which are common among clients. */
const readMultipart = async (parameters: Parameters, contentType: string, body: Buffer) => {
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": contentType } })
    .formData()
    .catch(() => {
      throw badRequest("can't parse multipart form data")
    })
  for (const [name, value] of form) {
    if (typeof value === "string") parameters.add(name, value)
    else
      parameters.files.set(name, { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) })
  }
}

/** The parameters of a request. Those in the query take precedence over those in the body. */
export const readParameters = async (
  query: URLSearchParams,
  contentType: string,
  body: Buffer
): Promise<Parameters> => {
  const parameters = new Parameters()
  for (const [name, value] of query) parameters.add(name, value)
  if (body.length === 0) return parameters
  const type = contentType.split(";")[0]?.trim().toLowerCase()
  if (type === "application/json") parameters.addJson(readJson(body.toString("utf8")))
  else if (type === "application/x-www-form-urlencoded")
    for (const [name, value] of new URLSearchParams(body.toString("utf8"))) parameters.add(name, value)
  else if (type === "multipart/form-data") await readMultipart(parameters, contentType, body)
  return parameters
}
