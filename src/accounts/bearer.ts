/** What an Authorization header carries as bearer. */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1]
