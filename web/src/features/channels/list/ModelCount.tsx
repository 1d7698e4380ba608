import { Popover, ScrollArea, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useCellText } from '../../../lib/text/cell-text.ts';
import classes from './ChannelCells.module.css';

const DELAY_MS = 200;

/** The number of models; hover and focus list them. The list is rendered on first use. */
export function ModelCount({ models }: { readonly models: readonly string[] }) {
  const t = useCellText();
  const { isOpen, isMet, hold, leave } = useHover();
  if (models.length === 0) return <span>0</span>;
  return (
    <span className={classes.models}>
      <button
        type="button"
        className={classes.quiet}
        aria-label={t('channel.models.count', { count: models.length })}
        onClick={(event) => event.stopPropagation()}
        onPointerEnter={hold}
        onPointerLeave={leave}
        onFocus={hold}
        onBlur={leave}
      >
        {models.length}
      </button>
      {isMet && (
        <Popover opened={isOpen} position="left" shadow="md" withRoles={false} withinPortal>
          <Popover.Target>
            <span className={classes.modelsAnchor} aria-hidden />
          </Popover.Target>
          <Popover.Dropdown p="xs" onPointerEnter={hold} onPointerLeave={leave}>
            <ScrollArea.Autosize mah={280} maw={320}>
              <Text component="div" size="xs" ff="monospace">
                {models.map((model) => (
                  <div key={model}>{model}</div>
                ))}
              </Text>
            </ScrollArea.Autosize>
          </Popover.Dropdown>
        </Popover>
      )}
    </span>
  );
}

/** Open while either part is hovered or focused, with a delay to move between them. */
function useHover() {
  const [isWanted, setWanted] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const [isMet, setMet] = useState(false);
  useEffect(() => {
    if (isWanted === isOpen) return;
    const timer = setTimeout(() => setOpen(isWanted), DELAY_MS);
    return () => clearTimeout(timer);
  }, [isWanted, isOpen]);
  const hold = () => {
    setMet(true);
    setWanted(true);
  };
  return { isOpen, isMet, hold, leave: () => setWanted(false) };
}
