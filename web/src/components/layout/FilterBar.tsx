import { Badge, Button, CloseButton, Group, Modal, Popover, Stack } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsPhone } from '../../lib/display/screen.ts';
import classes from './FilterBar.module.css';
import { Popup } from './Popup.tsx';

export interface FilterChip {
  readonly key: string;
  /** "Model: gpt-4o", or '' if the filter is not set: then there is no chip. */
  readonly text: string;
  readonly onRemove: () => void;
}

interface FilterBarProps {
  /** Applies the draft: Enter in any input, or the button. */
  readonly onSearch: () => void;
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
 * Inputs edit a draft; Search writes it to the URL. Chips show the applied filters. On a phone the
 * inputs are in one sheet.
 */
export function FilterBar(props: FilterBarProps) {
  const { onSearch, onReset, children, more, moreCount = 0, tools } = props;
  const chips = props.chips.filter(({ text }) => text !== '');
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const [isOpen, setOpen] = useState(false);
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    setOpen(false);
    onSearch();
  };
  const buttons = (
    <>
      <Button type="submit" leftSection={<IconSearch size={16} />}>
        {t('action.search')}
      </Button>
      {chips.length > 0 && (
        <Button variant="subtle" color="gray" onClick={onReset}>
          {t('action.reset')}
        </Button>
      )}
    </>
  );
  return (
    <Stack gap="xs" mb="sm" role="search">
      {isPhone ? (
        <Group gap="xs" justify="space-between">
          <Button
            variant="default"
            leftSection={<IconAdjustmentsHorizontal size={16} />}
            onClick={() => setOpen(true)}
          >
            {t('part.filter.sheet', { count: chips.length })}
          </Button>
          <Group gap="xs">{tools}</Group>
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
                <Group gap="xs">{buttons}</Group>
              </Stack>
            </form>
          </Modal>
        </Group>
      ) : (
        <form onSubmit={submit}>
          <Group gap="xs" align="flex-end" className={classes.bar}>
            {children}
            {more !== undefined && <More count={moreCount}>{more}</More>}
            {buttons}
            <Group gap="xs" ml="auto">
              {tools}
            </Group>
          </Group>
        </form>
      )}
      {chips.length > 0 && <Chips chips={chips} />}
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
      trapFocus
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

function Chips({ chips }: { readonly chips: readonly FilterChip[] }) {
  const { t } = useTranslation();
  return (
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
    </Group>
  );
}
