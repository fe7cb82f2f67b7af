/** The account of whoever runs this server, as the migration made it. Nobody signs in to it. */
export const OPERATOR = "acc_0000000000000000000PERAT0R"
