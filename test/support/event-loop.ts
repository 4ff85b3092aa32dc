/**
 * Waits for turns of the event loop. Whatever in this process waits for nobody has happened after a hundred of them, however
 * busy the machine is: a process that gets no time has no turns either.
 */
export async function turnsOfTheEventLoop(count = 100): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
}
