import { oncePerKey } from "./oncePerKey.ts"
import { prepareReference } from "./prepareReference.ts"
import type { PublicContent } from "./publicContent.ts"

/**
 * The OpenAPI document, described at its first use. `routesModule`: the URL of the module with the routes that it
 * describes.
 */
export const preparedOpenApi = (routesModule: string): (() => Promise<PublicContent>) => {
  const once = oncePerKey<PublicContent>()
  return () => once("openapi", () => prepareReference("openApi", { routesModule }))
}
