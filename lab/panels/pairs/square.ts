/** The square that is shown: so many standard deviations around the mean. */
export const reach = 4;
