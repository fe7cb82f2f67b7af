/** The bearer token in an Authorization header. */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1]
