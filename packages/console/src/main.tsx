import './styles/tokens.css';
import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { store } from './api/store.ts';
import { App } from './app.tsx';
import { applyTheme } from './layout/theme.ts';

applyTheme();
createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <QueryClientProvider client={store}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
