/** Half the width of the plots of pairs, in standard deviations. */
export const reach = 4;
