/** The last line: the current input, else the latest message, else the key hints. */
import { Box } from 'ink';
import { keyLabel } from '../pages.ts';
import type { Runtime } from '../runtime.ts';
import { Fixed, Input, Toned } from './text.tsx';

interface Props {
  readonly runtime: Runtime;
}

export function BottomBar({ runtime }: Props) {
  const { prompt, flash } = runtime.state;
  if (prompt !== undefined)
    return (
      <Box height={1} paddingX={1}>
        <Fixed tone="strong">{prompt.kind === 'filter' ? '/' : ':'}</Fixed>
        <Input input={prompt.input} />
      </Box>
    );
  if (flash === undefined) return <Keys runtime={runtime} />;
  return (
    <Box height={1} paddingX={1}>
      <Toned tone={flash.tone}>{flash.text}</Toned>
    </Box>
  );
}

const GENERAL = [
  ['/', 'keys_short.filter'],
  [':', 'keys_short.command'],
  ['p', 'keys_short.pause'],
  ['m', 'keys_short.messages'],
  ['q', 'keys_short.quit'],
] as const;

/** Hints that do not fit wrap out of sight; `?` shows all. */
function Keys({ runtime }: Props) {
  const { viewer, state } = runtime;
  const { t } = viewer;
  const isList = runtime.opened() !== undefined;
  const own = runtime.actions().map(({ key, name }) => [keyLabel(key), `keys.${name}`]);
  const general = GENERAL.filter(([key]) => isList || key !== '/');
  return (
    <Box height={1} paddingX={1} columnGap={2} justifyContent="space-between">
      <Box height={1} flexShrink={1} flexWrap="wrap" columnGap={2} overflow="hidden">
        {state.running > 0 && <Toned tone="info">{t('tui.header.running')}</Toned>}
        {[...own, ...general].map(([key, name]) => (
          <Fixed key={key}>
            <Toned tone="strong">{key}</Toned>
            <Toned tone="dim">{` ${t(`tui.${name}`)}`}</Toned>
          </Fixed>
        ))}
      </Box>
      <Fixed tone="dim">{`? ${t('tui.keys_short.keys')}`}</Fixed>
    </Box>
  );
}
