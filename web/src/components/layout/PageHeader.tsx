import { Box, Group, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useStatus } from '../../lib/site/status.ts';
import { Dimmed } from '../display/Dimmed.tsx';

interface PageHeaderProps {
  readonly title: string;
  /** One line about the purpose of the page. */
  readonly hint?: ReactNode;
  /** On the right: secondary actions first, the primary one last. */
  readonly actions?: ReactNode;
}

/** The page's only h1; also sets the document title to "Page - System name". */
export function PageHeader({ title, hint, actions }: PageHeaderProps) {
  usePageTitle(title);
  return (
    <Group mih={36} justify="space-between" gap="sm" mb="md">
      <Box miw={0} flex="1 1 240px">
        <Title order={1}>{title}</Title>
        {hint !== undefined && (
          <Dimmed size="sm" mt={2}>
            {hint}
          </Dimmed>
        )}
      </Box>
      {actions !== undefined && (
        <Group flex="none" w={{ base: '100%', xs: 'auto' }}>
          {actions}
        </Group>
      )}
    </Group>
  );
}

/** For pages that render their own heading. */
export function usePageTitle(title: string): void {
  const { t } = useTranslation();
  const status = useStatus();
  const name = status?.system_name || t('product.name');
  useDocumentTitle(title === name ? name : `${title} - ${name}`);
}
