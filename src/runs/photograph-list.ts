/** The photographs that are installed with this package, for commands and the lab. */

const source = "digital image courtesy of the Getty's Open Content Program, CC0";

export const photographs = [
  {
    name: "acanthus-mollis",
    title: "Acanthus mollis",
    credit: `Karl Blossfeldt, 1928; ${source}`,
  },
  {
    name: "airplane-from-above",
    title: "Airplane, viewed from above looking down",
    credit: `Fédèle Azari, 1914–1929; ${source}`,
  },
  {
    name: "allium-oreophilum",
    title: "Allium oreophilum",
    credit: `Karl Blossfeldt, 1928; ${source}`,
  },
  {
    name: "black-canyon",
    title: "Black Cañon, Colorado River, from Camp 8, looking above",
    credit: `Timothy H. O'Sullivan, 1871; ${source}`,
  },
  {
    name: "dust-bowl-home",
    title: "Abandoned Dust Bowl home",
    credit: `Dorothea Lange, about 1935–1940; ${source}`,
  },
  {
    name: "french-alpine-landscape",
    title: "Alpine landscape",
    credit: `Adolphe Braun, 1865–1870; ${source}`,
  },
  {
    name: "march-pastoral",
    title: "A March pastoral, Suffolk",
    credit: `Peter Henry Emerson, 1888; ${source}`,
  },
  {
    name: "nagasaki-boats",
    title: "Boats in river, Nagasaki",
    credit: `Felice Beato, about 1865; ${source}`,
  },
] as const;

export type PhotographName = (typeof photographs)[number]["name"];
