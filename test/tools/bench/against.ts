/** `npm run bench -- --against DIR`: what a plain call costs in this build and in the one of DIR. */
import { costsIn } from './build-costs.ts';
import { startGateway } from './environment/environment.ts';
import { round } from './load.ts';

const OPTIONS = { withPairs: false };

/** Prints a table. `project`: a checkout that was built. */
export async function compareWith(project: string): Promise<void> {
  const costs = await costsIn(['now', 'before'], async (upstream) => [
    await startGateway(upstream, OPTIONS),
    await startGateway(upstream, { ...OPTIONS, project }),
  ]);
  console.log('| us of CPU of a plain call | before | now | change | +- |\n|---|--:|--:|--:|--:|');
  for (const { us, spreadUs, wholeUs } of costs) {
    const beforeUs = wholeUs - us;
    const change = `${round((100 * us) / beforeUs)} %`;
    console.log(`| | ${round(beforeUs)} | ${round(wholeUs)} | ${change} | ${round(spreadUs)} us |`);
  }
}
