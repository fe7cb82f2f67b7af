import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { generateKeyPairSync, sign } from "node:crypto"
import { ISSUER_CLIENT } from "./startIssuer.ts"

/** With which key an ID token is signed. `none`: it says `alg: none`. `missing`: it names an algorithm only. */
export type Signature = "own key" | "foreign key" | "missing" | "none"

export interface ForgingIssuer {
  readonly url: string
  readonly signWith: (signature: Signature) => void
  readonly close: () => void
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")

/** As little of an OpenID Connect issuer as a sign-in needs, with ID tokens that a real one would not make. */
export const startForgingIssuer = async (claims: Readonly<Record<string, unknown>>): Promise<ForgingIssuer> => {
  const own = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const foreign = generateKeyPairSync("ec", { namedCurve: "P-256" })
  let signature: Signature = "own key"
  let nonce = ""
  let url = ""

  const idToken = () => {
    const now = Math.floor(Date.now() / 1000)
    const header = encoded({ alg: signature === "none" ? "none" : "ES256", kid: "own" })
    const payload = encoded({ iss: url, aud: ISSUER_CLIENT.id, iat: now, exp: now + 300, nonce, ...claims })
    const signed = `${header}.${payload}`
    if (signature === "none" || signature === "missing") return `${signed}.`
    const { privateKey } = signature === "own key" ? own : foreign
    const bytes = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" })
    return `${signed}.${bytes.toString("base64url")}`
  }
  const answerOf = (pathname: string): object => {
    if (pathname === "/token") return { access_token: "any", token_type: "Bearer", id_token: idToken() }
    if (pathname === "/jwks")
      return { keys: [{ ...own.publicKey.export({ format: "jwk" }), use: "sig", alg: "ES256", kid: "own" }] }
    return {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256", "none"]
    }
  }
  const server = createServer((request, response) => {
    request.resume()
    const { pathname, searchParams } = new URL(request.url ?? "/", url)
    if (pathname !== "/authorize")
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify(answerOf(pathname)))
    nonce = searchParams.get("nonce") ?? ""
    const location = new URL(searchParams.get("redirect_uri") ?? "")
    location.searchParams.set("code", "any")
    location.searchParams.set("state", searchParams.get("state") ?? "")
    return void response.writeHead(303, { location: location.href }).end()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    signWith: (next) => {
      signature = next
    },
    close: () => void server.close()
  }
}
