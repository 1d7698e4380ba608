/** Runs once after all test files: drops the databases that they have used one after another. */
export async function teardown(): Promise<void> {
  const { dropReturned } = await import('./database-servers.ts');
  // A server that is not there has none.
  await Promise.allSettled([dropReturned('postgres'), dropReturned('mysql')]);
}
