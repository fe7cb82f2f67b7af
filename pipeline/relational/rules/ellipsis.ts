/** Half sentences about the person, and the words that they leave out. */
const LEFT_OUT: ReadonlyArray<readonly [string, RegExp]> = [
  [
    "I'm",
    new RegExp(
      String.raw`^(?:(?:not |also |still |now |really |very |badly |severely |a bit )*(?:allergic|intolerant|` +
        String.raw`vegan|vegetarian|` +
        String.raw`pescatarian|diabetic|type \d diabetic|asthmatic|autistic|dyslexic|epileptic|coeliac|celiac|` +
        String.raw`lactose|gluten|married|divorced|` +
        String.raw`single|engaged|widowed|separated|retired|unemployed|pregnant|expecting|scared|afraid|` +
        String.raw`terrified|sober|` +
        String.raw`left-handed|adopted|bilingual|gay|bi|trans|colou?rblind|deaf|blind|muslim|christian|catholic|` +
        String.raw`jewish|hindu|` +
        String.raw`buddhist|atheist|studying|training|learning|working|living|staying|moving|turning|flying|` +
        String.raw`seeing|dating|` +
        String.raw`saving|renting|raising|recovering|mostly|originally from|from|into|allergisch)(?!\p{L})|not ` +
        String.raw`an? \p{L})`,
      "iu"
    )
  ],
  ["I was", /^(?:born|raised|brought up|laid off|fired|made redundant|diagnosed|promoted)(?!\p{L})/iu],
  ["I've", /^(?:been|never been|always been|never had|always had|always wanted|never)(?= \p{L})/iu],
  [
    "I",
    new RegExp(
      String.raw`^(?:just |recently |finally |also |mostly |usually )*(?:moved|quit|stopped|started|gave up|` +
        String.raw`bought|got|adopted|sold|lost|found|` +
        String.raw`joined|broke|failed|passed|turned|grew up|used to|lived|worked|studied|married|met|had|have|` +
        String.raw`was|can['’]?t|cannot|` +
        String.raw`don['’]?t|do not|didn['’]?t|haven['’]?t|hate|love|like|prefer|play|speak|drive|work|live|` +
        String.raw`study|teach|own|` +
        String.raw`collect|ran|run|went|flew|learned|learnt|graduated|dropped out|need|take|eat|drink|sing|dance|` +
        String.raw`won)(?= \p{L}|\p{N})`,
      "iu"
    )
  ]
]
/** "two kids, both girls", "22 years on the job", "no pets". */
const HAVING = new RegExp(
  String.raw`^(?:(?:\d{1,3}|an?|one|two|three|four|five|six|no|zwei|drei|keine?|dois|duas|três|dos|tres) ` +
    String.raw`)(?:\p{L}+ ){0,2}?` +
    String.raw`(?:kids?|sons?|daughters?|child(?:ren)?|brothers?|sisters?|siblings?|cats?|dogs?|pets?|cars?|` +
    String.raw`jobs?|tattoos?|` +
    String.raw`kinder|söhne|töchter|brüder|schwestern|katzen|hunde|filh[oa]s|irmã[os]?s|gatos?|cães|hij[oa]s|` +
    String.raw`herman[oa]s|perros?)(?!\p{L})`,
  "iu"
)
const OVER_TIME = new RegExp(
  String.raw`^(?:about |almost |over )?(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|` +
    String.raw`fifteen|twenty|` +
    String.raw`thirty|forty|fifty) ` +
    String.raw`(?:years|months)(?= \p{L})`,
  "iu"
)

/** First persons without a pronoun, and half sentences, in German, Portuguese and Spanish. */
const PRO_DROP = new RegExp(
  String.raw`^(?:(?:hab|habe|bin|wohne|arbeite|studiere|komme|vertrage|trinke|esse|rauche|fahre|spiele|hasse|` +
    String.raw`liebe|mag|lebe|lerne|` +
    String.raw`heiße|werde|war|hatte|kann|gehe|keine?)|(?:(?:e |mas )?(?:já |também |não |ya |también |` +
    String.raw`no )?(?:sou|estou|` +
    String.raw`tenho|moro|vivo|trabalho|` +
    String.raw`estudo|gosto|adoro|odeio|detesto|bebo|como|fumo|toco|falo|faço|nasci|cresci|casei|mudei-me|mudei|` +
    String.raw`comprei|perdi|parti|` +
    String.raw`fui|tive|chumbei|reprovei|passei|acabei|comecei|conheci|ganhei|aprendi|torço|conduzo|chamo-me|` +
    String.raw`chamo|temos|somos|moramos|vivemos|cresci|soy|estoy|tengo|trabajo|` +
    String.raw`estudio|odio|me gusta|me encanta|` +
    String.raw`me dan?|me llamo|me mudé|me casé|bebo|fumo|toco|hablo|nací|crecí|compré|perdí|tuve|tenemos|somos|` +
    String.raw`vivimos|conduzco|` +
    String.raw`cumplo|juego)))(?!\p{L})|` +
    String.raw`(?:(?:e |mas |y |pero |antes |dantes |antigamente |em criança |em pequen[oa] |de pequeñ[oa] |de ` +
    String.raw`niñ[oa] |` +
    String.raw`hoje em dia |agora |ahora |entonces ))?(?:(?:já |ya |também |também |también |quase |casi |nunca )?` +
    String.raw`(?:trabalhava|vivia|morava|costumava|tinha|estudava|jogava|tocava|era|fazia|ia|cantava|mud[áa]mo-nos|` +
    String.raw`mudamos|nos mudamos|parei|deixei|despediram-me|me despediram|caso-me|casámos|casamos|divorciei-me|` +
    String.raw`separei-me|mudo-me|sofro|colecciono|coleciono|treino|escrevo|pinto|cozinho|canto|danço|jogo|nado|` +
    String.raw`corro|` +
    String.raw`conduzo|tô|tou|tive|fomos|viemos|vim|ando a|perdemos|comprámos|compramos|adotei|adotámos|adotamos|` +
    String.raw`trabajaba|vivía|solía|tenía|estudiaba|jugaba|tocaba|cantaba|dejé|me despidieron|me caso|nos casamos|` +
    String.raw`me divorcié|me separé|me mudo|sufro|colecciono|entreno|escribo|pinto|cocino|canto|bailo|nado|corro|` +
    String.raw`perdimos|compramos|adopté|adoptamos|vinimos|vine|suspendí|aprobé|toco|llevo|levo|vou|voy|` +
    String.raw`conhecemo-nos|nos conocimos|conhecemos|crío|crio|cuido))(?!\p{L})|` +
    String.raw`(?:não|n[ãa]o|no) (?:sei|sé|consigo|puedo|posso) (?!(?:dizer|explicar|responder|decir|explicar|` +
    String.raw`más|mais|` +
    String.raw`dormir|parar|esperar|evitar)(?!\p{L}))(?:\p{L}{2,14}[aeio]r|comer|beber)(?!\p{L})`,
  "iu"
)

/** The sentence with the words that it leaves out, if it is about the person. Null if it is not. */
export const completed = (sentence: string): string | null => {
  if (PRO_DROP.test(sentence)) return sentence
  if (HAVING.test(sentence)) return `I have ${sentence}`
  if (OVER_TIME.test(sentence)) return sentence
  const found = LEFT_OUT.find(([, pattern]) => pattern.test(sentence))
  return found === undefined ? null : `${found[0]} ${sentence}`
}
