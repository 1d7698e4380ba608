/** The header of every screen: the gateway, the age of the data, and the tabs. */
import { Box, Text } from 'ink';
import { localTime } from '../../session/text.ts';
import { headingOf, liveness, tabsOf, whoText } from '../header.ts';
import type { Runtime } from '../runtime.ts';

import { Fixed, Inverse, Spans, Toned } from './text.tsx';

interface Props {
  readonly runtime: Runtime;
}

export function Header({ runtime }: Props) {
  const { site } = runtime.state;
  const [who, readOnly] = whoText(runtime);
  const { text, tone } = liveness(runtime);
  return (
    <Box height={1} overflow="hidden" paddingX={1} columnGap={2} justifyContent="space-between">
      <Box columnGap={2}>
        <Fixed>
          <Toned tone="strong">gateway {site.profile}</Toned>
        </Fixed>
        <Box minWidth={8}>
          <Toned wrap="truncate-start">{site.location}</Toned>
        </Box>
        <Fixed>
          <Toned tone="dim">
            v{site.version}
            {'  '}
            {who}
          </Toned>
        </Fixed>
        {readOnly !== undefined && (
          <Fixed>
            <Toned tone="warn">{readOnly}</Toned>
          </Fixed>
        )}
      </Box>
      <Fixed>
        <Toned>
          <Toned tone={tone}>{text}</Toned>
          {'  '}
          {localTime(runtime.viewer.nowMs() / 1000).slice(11)}
        </Toned>
      </Fixed>
    </Box>
  );
}

export function Tabs({ runtime }: Props) {
  return (
    <Box height={1} justifyContent="space-between">
      <Box overflow="hidden">
        {tabsOf(runtime).map(({ screen, name }) => (
          <Fixed key={screen}>
            <Text>
              {screen === runtime.state.screen ? <Inverse>{` ${name} `}</Inverse> : ` ${name} `}
            </Text>
          </Fixed>
        ))}
      </Box>
      <Fixed>
        <Toned tone="dim">{runtime.viewer.t('tui.header.help')}</Toned>
      </Fixed>
    </Box>
  );
}

/** The list's total, filter, sort order and marks, and the age of its data. */
export function Heading({ runtime }: Props) {
  const { state, viewer } = runtime;
  const { atMs } = state.reads[state.screen];
  const seconds = Math.floor((viewer.nowMs() - atMs) / 1000);
  return (
    <Box height={1} paddingX={1} columnGap={1} justifyContent="space-between">
      <Spans line={headingOf(runtime)} />
      <Fixed>
        <Toned tone="dim">{atMs === 0 ? '' : viewer.t('tui.header.age', { n: seconds })}</Toned>
      </Fixed>
    </Box>
  );
}
