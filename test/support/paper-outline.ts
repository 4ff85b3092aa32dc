/** The numbers of the paper's equations and sections (arXiv:1511.06281). */
export const paperEquations = ["1", "2", "3", "4", "5", "6", "7"];
export const paperSections = [
  ...["1", "2", "3", "3.1", "3.2", "4", "4.1", "4.2", "4.3"],
  ...["5", "6", "6.1", "6.2", "6.3"],
];
