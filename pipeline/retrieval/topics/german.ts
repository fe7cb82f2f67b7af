/** Topic words of German, as in `english.ts`. A group begins with its English name. */
export const GERMAN = `
pet: haustier haustiere tier tiere | cat katze katzen kater katerchen mieze | dog hund hunde hundin welpe dackel |
  hamster | rabbit kaninchen hase | parrot papagei wellensittich | horse pferd pferde pony | goldfish fisch fische |
  turtle schildkrote | rasse
family: familie verwandte geschwister eltern | mother mama mutter mutti mami stiefmutter | father papa vater papi
  stiefvater | sister schwester schwestern | brother bruder bruder | grandmother oma grossmutter | grandfather opa
  grossvater | aunt tante | uncle onkel | cousin cousine vetter | niece nichte | nephew neffe | twin zwilling zwillinge
child: kind kinder | son sohn sohne | daughter tochter tochter | baby schwanger
partner: partner partnerin beziehung verheiratet heirat geheiratet ledig verlobt geschieden getrennt freundin freund
  mann frau | wife frau ehefrau | husband mann ehemann | boyfriend freund | girlfriend freundin | ex
friend: freund freunde freundin freundinnen kumpel
flatmate: mitbewohner mitbewohnerin wg
boss: chef chefin boss vorgesetzter
work: beruf job arbeit arbeite arbeitet arbeiten gearbeitet stelle firma arbeitgeber verdiene | teacher lehrer lehrerin
  unterrichte | nurse krankenpfleger krankenschwester pflegerin pfleger | doctor arzt arztin | dentist zahnarzt
  zahnarztin | lawyer anwalt anwaltin | carpenter tischler tischlerin schreiner zimmermann | mechanic mechaniker | cook
  koch kochin | baker backer backerei | midwife hebamme | engineer ingenieur ingenieurin | developer programmierer
  entwickler informatiker | clerk verkaufer verkauferin | student studentin | apprentice ausbildung lehre azubi | post
  | bank | retired rente rentner pensioniert | unemployed arbeitslos gekundigt | krankenhaus buro werkstatt schicht
  nachtschicht kollege kollegin
study: studium studiere studiert uni universitat schule ausbildung lerne lernt prufung klausur abitur
home: wohne wohnst wohnt wohnen zuhause adresse wohnung haus stadt dorf umgezogen umzug lebe lebt leben ort | garden
  garten balkon
origin: herkunft geboren aufgewachsen komme kommt stamme stammt heimat
allergy: allergie allergien allergisch unvertraglichkeit vertrage vertragt intolerant | nuts nusse nuss erdnusse
  erdnuss | lactose laktose milch milchprodukte | gluten weizen zoliakie | penicillin penizillin | pollen heuschnupfen
diet: esse isst essen ernahrung | vegetarian vegetarier vegetarisch vegetarierin | vegan veganer veganerin | meat
  fleisch
health: gesundheit krankheit krank leide | diabetic diabetes diabetiker | asthma | heart herz herzinfarkt | migraine
  migrane | depression depressionen | cancer krebs | surgery operation operiert | gebrochen
medicine: medikament medikamente tabletten medizin | penicillin penizillin antibiotika
team: verein mannschaft fan team fussballverein fussball | bayern | dortmund bvb | schalke | werder | hertha | union
hobby: hobby hobbys freizeit | bouldering klettern bouldern | hiking wandern | running laufen joggen | swimming
  schwimmen | cycling radfahren rad | fishing angeln | chess schach | reading lesen bucher
instrument: instrument instrumente ?spiele musik | piano klavier | guitar gitarre | violin geige | trumpet trompete |
  drums schlagzeug | flute flote
vehicle: auto wagen fahre fahrt fahrzeug | motorbike motorrad | bike rad fahrrad
language: sprache sprachen spreche spricht
birthday: geburtstag
age: alter
name: name namen heisst heisse heissen nennen
fear: angst furchte hohenangst | spiders spinnen
like: mag liebe lieblings gern gerne
dislike: hasse
smoke: rauche rauchst raucher zigaretten
drink: trinke trinkst alkohol bier wein
travel: reise urlaub fliege flug
wedding: hochzeit
death: gestorben tot verstorben
`
