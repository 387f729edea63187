#pragma once
#include <string>
#include <hocket/scheduler/schedule.hpp>
#include <hocket/runtime/operation.hpp>
namespace hocket { struct RenderOptions { std::size_t max_rows=0; unsigned width=110; bool color=false; };
inline std::string headline(const Schedule& s, bool=false){ return std::string(to_string(s.kind))+": "+s.message+"\n  at "+s.where; }
inline std::string render(const Schedule& s, const RenderOptions&){ std::string t; int n=0; for(auto&c:s.choices){ t+=std::to_string(++n)+" "+s.threads[c.thread].label+": "+std::string(to_string(c.operation))+" "+c.object+" "+c.where+(c.price?" PREEMPTS":"")+(c.is_value?" value "+std::to_string(c.code):""); for(auto&x:c.notes) t+=" ["+x+"]"; t+="\n";} return t; } }
