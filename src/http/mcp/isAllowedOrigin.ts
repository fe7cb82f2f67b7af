/**
 * Whether a browser's page may call the server. Programs send no Origin. The address is compared with the server's own
 * and not with the Host header, which a page that rebinds its name controls.
 */
export const isAllowedOrigin = (origin: string | undefined, baseUrl: string): boolean =>
  origin === undefined || URL.parse(origin)?.origin === new URL(baseUrl).origin
