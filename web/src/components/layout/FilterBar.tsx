import { Badge, Button, CloseButton, Group, Modal, Popover, Stack } from '@mantine/core';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Draft } from '../../hooks/useDraft.ts';
import { useIsPhone } from '../../lib/display/screen.ts';
import { SideButton } from '../display/SideButton.tsx';
import classes from './FilterBar.module.css';
import { Popup } from './Popup.tsx';

export interface FilterChip {
  readonly key: string;
  /** "Model: gpt-4o", or '' if the filter is not set: then there is no chip. */
  readonly text: string;
  readonly onRemove: () => void;
}

interface FilterBarProps {
  /** Enter in any input commits it. */
  readonly filters: Pick<Draft<object>, 'commit' | 'clear'>;
  readonly onReset: () => void;
  /** The filters of the page. */
  readonly chips: readonly FilterChip[];
  /** The most used inputs. The one focused by `/` carries `data-page-search`. */
  readonly children: ReactNode;
  /** Further inputs, in a popover. */
  readonly more?: ReactNode;
  /** The number of filters set in `more`. */
  readonly moreCount?: number;
  /** On the right: column settings, refresh. */
  readonly tools?: ReactNode;
}

/**
 * Choices apply at once, text when typing pauses. Chips show the applied filters. On a phone the
 * inputs are in one sheet.
 */
export function FilterBar(props: FilterBarProps) {
  const { filters, onReset, children, more, moreCount = 0, tools } = props;
  const chips = props.chips.filter(({ text }) => text !== '');
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const [isOpen, setOpen] = useState(false);
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    setOpen(false);
    filters.commit();
  };
  const resetAll = () => {
    filters.clear();
    onReset();
  };
  const reset = chips.length > 0 && (
    <Button variant="subtle" color="gray" size={isPhone ? 'sm' : 'compact-xs'} onClick={resetAll}>
      {t('action.reset')}
    </Button>
  );
  return (
    <Stack gap="xs" mb="sm" role="search">
      {isPhone ? (
        <Group justify="space-between">
          <SideButton
            icon={IconAdjustmentsHorizontal}
            label={t('part.filter.sheet', { count: chips.length })}
            onClick={() => setOpen(true)}
          />
          <Group>{tools}</Group>
          <Modal
            opened={isOpen}
            onClose={() => setOpen(false)}
            title={t('part.filter.title')}
            fullScreen
          >
            <form onSubmit={submit}>
              <Stack gap="sm">
                {children}
                {more}
                <Group>
                  <Button type="submit">{t('part.filter.show')}</Button>
                  {reset}
                </Group>
              </Stack>
            </form>
          </Modal>
        </Group>
      ) : (
        <form onSubmit={submit}>
          <Group align="flex-end">
            {children}
            {more !== undefined && <More count={moreCount}>{more}</More>}
            {/* Without it Enter in one of several inputs submits nothing. */}
            <button type="submit" hidden />
            <Group ml="auto">{tools}</Group>
          </Group>
        </form>
      )}
      {chips.length > 0 && (
        <Group gap={6}>
          {chips.map(({ key, text, onRemove }) => (
            <span key={key} className={classes.chip}>
              {text}
              <CloseButton
                size="xs"
                radius="xl"
                aria-label={t('part.filter.remove', { filter: text })}
                onClick={onRemove}
              />
            </span>
          ))}
          {!isPhone && reset}
        </Group>
      )}
    </Stack>
  );
}

function More({ count, children }: { readonly count: number; readonly children: ReactNode }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <Popup
      isOpen={isOpen}
      onClose={() => setOpen(false)}
      position="bottom-start"
      width={320}
      withinPortal={false}
    >
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={16} />}
          rightSection={count > 0 && <Badge size="sm">{count}</Badge>}
          onClick={() => setOpen(!isOpen)}
        >
          {t('part.filter.more')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">{children}</Stack>
      </Popover.Dropdown>
    </Popup>
  );
}
