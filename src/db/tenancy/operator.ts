/** The account of the operator of this server, created by the migration. Nobody signs in to it. */
export const OPERATOR = "acc_0000000000000000000PERAT0R"
